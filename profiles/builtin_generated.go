// Code generated from builtin/*.toml by go generate; DO NOT EDIT.

package profiles

// decodedBuiltin is a built-in profile as its text decodes, and whether there
// is one of that name. Every call makes a new one.
func decodedBuiltin(name string) (Profile, bool) {
	switch name {
	case "base":
		return Profile{
			Name:        "base",
			Description: "the operating system's own programs and libraries, nothing of the caller",
			Digest:      "sha256:f4e246133f18c5bf41f2a5be3589290160e63d877f05f6e56612fa503cb0161d",
			settings: settings{
				description: "the operating system's own programs and libraries, nothing of the caller",
				view: viewSettings{
					system: []string{
						"/usr",
						"/bin",
						"/sbin",
						"/lib",
						"/lib32",
						"/lib64",
						"/libx32",
						"/etc/alternatives",
						"/etc/ld.so.cache",
						"/etc/ld-musl-x86_64.path",
						"/etc/ld-musl-aarch64.path",
						"/nix/store",
						"/gnu/store",
					},
					files: map[string]string{
						"/etc/group":         "root:x:0:\njail:x:{{gid}}:\nnogroup:x:65534:\n",
						"/etc/hosts":         "127.0.0.1 localhost jail\n::1 localhost jail\n",
						"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
						"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\njail:x:{{uid}}:{{gid}}:jail:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
					},
				},
				env: envSettings{
					set: map[string]string{
						"HOME": "/tmp",
						"LANG": "C.UTF-8",
						"PATH": "/usr/local/bin:/usr/bin:/bin",
					},
				},
			},
		}, true
	case "sh":
		return Profile{
			Name:        "sh",
			Description: "the system's shell: jail run --profile sh script.sh, or -- -c 'ls /'",
			Digest:      "sha256:deb4539f993a19e36aad74a74a2caaad53d47ace1e6a41edcd7390eb69272d7c",
			settings: settings{
				extends:     "base",
				description: "the system's shell: jail run --profile sh script.sh, or -- -c 'ls /'",
				run: runSettings{
					interpreter: []string{
						"/bin/sh",
					},
					grant: "script",
					code: []string{
						"-c",
						"-s",
					},
					value: []string{
						"-o",
						"+o",
					},
					cluster: true,
				},
				view: viewSettings{
					system: []string{
						"/usr",
						"/bin",
						"/sbin",
						"/lib",
						"/lib32",
						"/lib64",
						"/libx32",
						"/etc/alternatives",
						"/etc/ld.so.cache",
						"/etc/ld-musl-x86_64.path",
						"/etc/ld-musl-aarch64.path",
						"/nix/store",
						"/gnu/store",
					},
					files: map[string]string{
						"/etc/group":         "root:x:0:\njail:x:{{gid}}:\nnogroup:x:65534:\n",
						"/etc/hosts":         "127.0.0.1 localhost jail\n::1 localhost jail\n",
						"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
						"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\njail:x:{{uid}}:{{gid}}:jail:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
					},
				},
				env: envSettings{
					set: map[string]string{
						"HOME": "/tmp",
						"LANG": "C.UTF-8",
						"PATH": "/usr/local/bin:/usr/bin:/bin",
					},
				},
			},
		}, true
	case "node":
		return Profile{
			Name:        "node",
			Description: "Node.js: jail run --profile node script.js",
			Digest:      "sha256:dd7b804224ad71df28eeb4ff651e5a0a6fc2cc4fbebcf35fa3182f986faf718c",
			settings: settings{
				extends:     "base",
				description: "Node.js: jail run --profile node script.js",
				run: runSettings{
					interpreter: []string{
						"node",
						"nodejs",
					},
					grant: "script",
					code: []string{
						"-e",
						"--eval",
						"-p",
						"--print",
						"-pe",
					},
					value: []string{
						"-r",
						"--require",
						"--import",
						"--loader",
						"--experimental-loader",
						"-C",
						"--conditions",
						"--input-type",
						"--experimental-default-type",
						"--env-file",
						"--title",
						"--icu-data-dir",
						"--openssl-config",
						"--test-name-pattern",
						"--test-reporter",
						"--test-reporter-destination",
						"--unhandled-rejections",
						"--trace-event-categories",
						"--disable-warning",
					},
					heap: "v8",
				},
				view: viewSettings{
					system: []string{
						"/usr",
						"/bin",
						"/sbin",
						"/lib",
						"/lib32",
						"/lib64",
						"/libx32",
						"/etc/alternatives",
						"/etc/ld.so.cache",
						"/etc/ld-musl-x86_64.path",
						"/etc/ld-musl-aarch64.path",
						"/nix/store",
						"/gnu/store",
					},
					files: map[string]string{
						"/etc/group":         "root:x:0:\njail:x:{{gid}}:\nnogroup:x:65534:\n",
						"/etc/hosts":         "127.0.0.1 localhost jail\n::1 localhost jail\n",
						"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
						"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\njail:x:{{uid}}:{{gid}}:jail:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
					},
				},
				env: envSettings{
					set: map[string]string{
						"HOME": "/tmp",
						"LANG": "C.UTF-8",
						"PATH": "/usr/local/bin:/usr/bin:/bin",
					},
				},
			},
		}, true
	case "python":
		return Profile{
			Name:        "python",
			Description: "Python 3: jail run --profile python script.py",
			Digest:      "sha256:e02968a162ed71c5a8e5415af4068bbfbaee71953a37f9c360a739817b26feae",
			settings: settings{
				extends:     "base",
				description: "Python 3: jail run --profile python script.py",
				run: runSettings{
					interpreter: []string{
						"python3",
						"python",
					},
					grant: "script",
					code: []string{
						"-c",
						"-m",
					},
					value: []string{
						"-W",
						"-X",
						"--check-hash-based-pycs",
					},
					cluster: true,
				},
				view: viewSettings{
					system: []string{
						"/usr",
						"/bin",
						"/sbin",
						"/lib",
						"/lib32",
						"/lib64",
						"/libx32",
						"/etc/alternatives",
						"/etc/ld.so.cache",
						"/etc/ld-musl-x86_64.path",
						"/etc/ld-musl-aarch64.path",
						"/nix/store",
						"/gnu/store",
					},
					files: map[string]string{
						"/etc/group":         "root:x:0:\njail:x:{{gid}}:\nnogroup:x:65534:\n",
						"/etc/hosts":         "127.0.0.1 localhost jail\n::1 localhost jail\n",
						"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
						"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\njail:x:{{uid}}:{{gid}}:jail:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
					},
				},
				env: envSettings{
					set: map[string]string{
						"HOME":                    "/tmp",
						"LANG":                    "C.UTF-8",
						"PATH":                    "/usr/local/bin:/usr/bin:/bin",
						"PYTHONDONTWRITEBYTECODE": "1",
						"PYTHONUNBUFFERED":        "1",
					},
				},
			},
		}, true
	case "wasm":
		return Profile{
			Name:        "wasm",
			Description: "a WebAssembly module for WASI: jail run --profile wasm module.wasm",
			Digest:      "sha256:9ed27a30190c90ef43c8e5ae60ea19dceb99a1ad72a19bf91ede9eb99af8d42a",
			settings: settings{
				description: "a WebAssembly module for WASI: jail run --profile wasm module.wasm",
				run: runSettings{
					interpreter: []string{
						"jaild",
					},
					grant: "script",
					code: []string{
						"--javascript",
					},
					engine: "wasm",
				},
			},
		}, true
	case "exec":
		return Profile{
			Name:        "exec",
			Description: "a program file of your own: jail run --profile exec ./prog",
			Digest:      "sha256:d0b787a1e7e4e9eeabfb2052a2374fb438de27007fad1f0f439105ba3d1bb393",
			settings: settings{
				extends:     "base",
				description: "a program file of your own: jail run --profile exec ./prog",
				run: runSettings{
					grant: "program",
				},
				view: viewSettings{
					system: []string{
						"/usr",
						"/bin",
						"/sbin",
						"/lib",
						"/lib32",
						"/lib64",
						"/libx32",
						"/etc/alternatives",
						"/etc/ld.so.cache",
						"/etc/ld-musl-x86_64.path",
						"/etc/ld-musl-aarch64.path",
						"/nix/store",
						"/gnu/store",
					},
					files: map[string]string{
						"/etc/group":         "root:x:0:\njail:x:{{gid}}:\nnogroup:x:65534:\n",
						"/etc/hosts":         "127.0.0.1 localhost jail\n::1 localhost jail\n",
						"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
						"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\njail:x:{{uid}}:{{gid}}:jail:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
					},
				},
				env: envSettings{
					set: map[string]string{
						"HOME": "/tmp",
						"LANG": "C.UTF-8",
						"PATH": "/usr/local/bin:/usr/bin:/bin",
					},
				},
			},
		}, true
	}
	return Profile{}, false
}
