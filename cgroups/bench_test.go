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
