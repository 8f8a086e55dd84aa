package profiles_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

func ExampleProfile_Spec() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "hello.sh"), []byte("echo hello\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	host := profiles.CurrentHost()
	host.Dir = dir
	p, err := profiles.Load("sh", host)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := p.Spec([]string{"hello.sh"}, profiles.Overrides{Limits: jail.Limits{Memory: 64 << 20}}, host)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range spec.View {
		if m.Kind == jail.MountRO {
			fmt.Println("read-only:", filepath.Base(m.Source))
		}
	}
	// Output: read-only: hello.sh
}

func ExampleLoad_unknown() {
	_, err := profiles.Load("perl", profiles.Host{})
	fmt.Println(err)
	// Output: jail: profile: "perl": the name of a profile, or the path of a profile file; there is base, sh, node, python, wasm, exec
}

func ExampleParseSize() {
	n, _ := profiles.ParseSize("256M")
	fmt.Println(n)
	_, err := profiles.ParseSize("10GB")
	fmt.Println(err)
	// Output:
	// 268435456
	// "10GB": accepted is a whole number of bytes, or of KiB, MiB or GiB with K, M or G behind it, such as 256M
}
