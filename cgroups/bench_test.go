package cgroups

import "testing"

// BenchmarkLeaf is what a leaf costs a run: found, made, limited, removed.
func BenchmarkLeaf(b *testing.B) {
	for b.Loop() {
		p, err := Find("")
		if err != nil {
			b.Fatal(err)
		}
		g, err := p.Create("bench", Limits{Memory: 64 << 20, CPUs: 1, Pids: 64})
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Remove(); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// BenchmarkSweep200 is what a look for abandoned leaves costs a run while 200
// others run.
func BenchmarkSweep200(b *testing.B) {
	p, err := Find("")
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for range 200 {
		g, err := p.Create("bench", Limits{Memory: 64 << 20, CPUs: 1, Pids: 64})
		if err != nil {
			b.Fatal(err)
		}
		defer g.Remove()
	}
	for b.Loop() {
		p.Sweep(8)
	}
}
