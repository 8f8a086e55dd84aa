package profiles

import "testing"

// The benchmarks show what the parts of a start cost; nothing is asserted.

func BenchmarkLoad(b *testing.B) {
	h := Host{Home: b.TempDir()}
	for b.Loop() {
		if _, err := Load("python", h); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSpec(b *testing.B) {
	for _, name := range []string{"node", "python", "exec", "base"} {
		b.Run(name, func(b *testing.B) {
			h := CurrentHost()
			p, err := Load(name, h)
			if err != nil {
				b.Fatal(err)
			}
			args := []string{"bench_test.go"}
			if name == "exec" || name == "base" {
				args = []string{"/bin/true"}
			}
			for b.Loop() {
				if _, err := p.Spec(args, Overrides{}, h); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSpecWithManyGrants(b *testing.B) {
	h := Host{Dir: b.TempDir()}
	p, err := Load("base", h)
	if err != nil {
		b.Fatal(err)
	}
	o := manyGrants(b, h.Dir, 10000)
	for b.Loop() {
		if _, err := p.Spec([]string{"true"}, o, h); err != nil {
			b.Fatal(err)
		}
	}
}
