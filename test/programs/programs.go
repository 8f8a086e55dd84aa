package main

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// A program is one kind, with a small job for it.
type program struct {
	name     string
	needs    []string // files that must be on the machine
	packages string   // Debian's, of what is missing
	profile  string   // or "" for any program's
	// prepare is a shell script that makes what the job needs, in its folder.
	prepare string
	args    []string
	flags   []string // for the watching box besides
	ends    string   // how it must end in the watching box, and so enforced; "" is ok 0
	// native is why guests, whose processors are emulated, leave it out, or "".
	native string
}

// there says whether the machine has what p needs.
func (p program) there() bool {
	for _, n := range p.needs {
		if _, err := exec.LookPath(n); err != nil {
			return false
		}
	}
	return true
}

// programs are the twenty kinds that the issue of `jail learn` lists, and some more.
// What they do is small, writes into a folder of the job's, and is the same twice.
func programs() []program {
	sh := func(line string) []string { return []string{"/bin/sh", "-c", line} }
	const c = `printf '#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n' >hello.c; mkdir -p out`
	return []program{
		{name: "npm run", needs: []string{"npm"}, packages: "npm", args: []string{"npm", "run", "--offline", "--no-update-notifier", "build"},
			prepare: `mkdir -p out; echo '{"name":"job","version":"1.0.0","scripts":{"build":"node build.js"}}' >package.json; echo 'require("fs").writeFileSync("out/x","1")' >build.js`},
		{name: "node with a package", needs: []string{"node"}, packages: "nodejs", profile: "node", args: []string{"app.js"},
			prepare: `mkdir -p node_modules/left; echo 'module.exports=1' >node_modules/left/index.js; echo 'console.log(require("left"))' >app.js`},
		{name: "python with sqlite", needs: []string{"python3"}, packages: "python3", profile: "python", args: []string{"db.py"},
			prepare: `mkdir -p db; printf 'import sqlite3\nc = sqlite3.connect("db/my.db")\nc.execute("create table if not exists t(a)")\nc.commit()\n' >db.py`},
		{name: "pytest", needs: []string{"/usr/bin/pytest-3"}, packages: "python3-pytest", args: []string{"/usr/bin/pytest-3", "-q", "-p", "no:cacheprovider", "tests"},
			prepare: `mkdir -p tests; printf 'def test_one(tmp_path):\n    (tmp_path / "x").write_text("1")\n' >tests/test_one.py`},
		{name: "pip install", needs: []string{"/usr/bin/pip3"}, packages: "python3-pip", args: []string{"/usr/bin/pip3", "install", "--target", "out", "six"}, ends: "execution_failed 1", prepare: "mkdir -p out"},
		{name: "git", needs: []string{"git"}, packages: "git", args: []string{"git", "-c", "safe.directory=*", "-c", "user.name=x", "-c", "user.email=x@x", "-C", "repo", "commit", "-q", "--allow-empty", "-m", "x"},
			prepare: `git init -q repo`},
		{name: "gcc", needs: []string{"gcc"}, packages: "gcc libc6-dev", args: []string{"gcc", "hello.c", "-o", "out/hello"}, prepare: c},
		{name: "make", needs: []string{"make", "gcc"}, packages: "make gcc libc6-dev", args: []string{"make", "-B", "-s"}, prepare: c + `; printf 'out/hello: hello.c\n\tgcc -o $@ $<\n' >Makefile`},
		{name: "go build", needs: []string{"go"}, packages: "golang-go", args: sh(`PATH=$PATH:/usr/local/go/bin GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-mod=mod GOCACHE=/tmp/cache GOPATH=/tmp/go CGO_ENABLED=0 go build -o out/job .`),
			native:  "it compiles Go's own library, five times over",
			prepare: `mkdir -p out; printf 'module job\n\ngo 1.19\n' >go.mod; printf 'package main\n\nfunc main() { println("built") }\n' >main.go`},
		{name: "a Go binary", needs: []string{"go"}, packages: "golang-go", args: []string{"./job"},
			prepare: `printf 'module job\n\ngo 1.19\n' >go.mod; printf 'package main\n\nimport "os"\n\nfunc main() { b, err := os.ReadFile("in.txt"); if err != nil { panic(err) }; os.Stdout.Write(b) }\n' >main.go; echo in >in.txt; CGO_ENABLED=0 go build -o job .`},
		{name: "a static musl binary", needs: []string{"musl-gcc"}, packages: "musl-tools", args: []string{"./job"}, prepare: c + "; musl-gcc -static -o job hello.c"},
		{name: "perl", needs: []string{"perl"}, packages: "perl", args: []string{"perl", "-MFile::Temp", "-ne", "print uc", "in.txt"}, prepare: "echo in >in.txt"},
		{name: "ruby", needs: []string{"ruby"}, packages: "ruby", args: []string{"ruby", "-rjson", "-e", `puts JSON.parse(File.read("in.json"))`}, prepare: `echo '{"a":1}' >in.json`},
		{name: "jq", needs: []string{"jq"}, packages: "jq", args: []string{"jq", ".a", "in.json"}, prepare: `echo '{"a":1}' >in.json`},
		{name: "sqlite3", needs: []string{"sqlite3"}, packages: "sqlite3", args: []string{"sqlite3", "db/my.db", "create table if not exists t(a); insert into t values (1);"}, prepare: "mkdir -p db"},
		{name: "ffmpeg", needs: []string{"ffmpeg"}, packages: "ffmpeg", args: []string{"ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=d=1:s=64x64", "out/x.gif"}, prepare: "mkdir -p out"},
		{name: "imagemagick", needs: []string{"/usr/bin/convert"}, packages: "imagemagick", args: []string{"/usr/bin/convert", "in.ppm", "out/x.png"}, prepare: `mkdir -p out; printf 'P3 1 1 255 1 2 3\n' >in.ppm`},
		{name: "java", needs: []string{"java"}, packages: "default-jre-headless", args: []string{"java", "-Xmx64m", "-version"}},
		// Not /usr/bin/chromium: that is a script that looks for the processor in /proc/cpuinfo.
		{name: "a headless browser", needs: []string{"/usr/lib/chromium/chromium"}, packages: "chromium", args: []string{"/usr/lib/chromium/chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=/tmp/u", "--dump-dom", "page.html"},
			native: "emulated it has shown no page in ten minutes",
			flags:  []string{"--unix"}, prepare: "echo '<p>x' >page.html"},
		{name: "curl", needs: []string{"curl"}, packages: "curl", args: []string{"curl", "-sS", "--max-time", "3", "http://192.0.2.1/"}, ends: "execution_failed 7"},
		{name: "ssh", needs: []string{"ssh"}, packages: "openssh-client", args: []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=3", "192.0.2.1", "true"}, ends: "execution_failed 255"},
		{name: "sudo", needs: []string{"sudo"}, packages: "sudo", args: []string{"sudo", "-n", "true"}, ends: "execution_failed 1"},
		{name: "a fork of a shell", args: sh("for i in 1 2 3; do (echo $i >out/$i) & done; wait; cat out/*"), prepare: "mkdir -p out"},
	}
}

// line is what a person types behind `jail learn --timeout 3m`.
func (p program) line() string {
	words := slices.Clone(p.flags)
	if p.profile != "" {
		words = append(words, "--profile", p.profile)
	}
	for _, a := range append([]string{"--"}, p.args...) {
		words = append(words, shellword.Quote(a))
	}
	return strings.Join(words, " ")
}
