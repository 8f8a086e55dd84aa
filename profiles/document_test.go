package profiles

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Whatever 64 KiB of text say, reading them takes a bounded time and memory.
func TestReadingIsBounded(t *testing.T) {
	const size = maxText - 64
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a deep key", "a" + strings.Repeat(".a", size/2) + " = 1\n", "a key of at most 8 parts; this one has "},
		{"a deep table", "[a" + strings.Repeat(".a", size/2) + "]\nb = 1\n", "a key of at most 8 parts; this one has "},
		{"a deep key in a table", "[a.b.c.d]\n" + "e.f.g.h.i = 1\n", "a key of at most 8 parts; this one has 9"},
		{"deep inline tables", "a = " + strings.Repeat("{a=", 9000) + "1" + strings.Repeat("}", 9000), ""},
		{"lists of lists", "a = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), ""},
		{"many keys", numbered("k%d=1\n"), "at most 1024 keys and tables"},
		{"many keys in a table", "a={" + numbered("k%d=1,") + "z=1}", "at most 1024 keys and tables"},
		{"many tables", numbered("[t%d]\n"), "at most 1024 keys and tables"},
		{"many lists of tables", strings.Repeat("[[a]]\n", size/6), "at most 1024 keys and tables"},
		{"many grants", "view.ro = [" + numbered(`"/a%d",`) + "]\n", ""},
		{"many errors", strings.Repeat("=\n", size/2), "TOML; this is not"},
		{"one key again", strings.Repeat("a=1\n", size/4), "at most 1024 keys and tables"},
	} {
		root := tree(t, map[string]string{"p.toml": tt.text})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := Load(root+"/p.toml", Host{})
		d := time.Since(start)
		runtime.ReadMemStats(&after)
		if got := faultLines(err, root); !strings.Contains(got, tt.want) {
			t.Errorf("%s: faults: %.300s, want %s", tt.name, got, tt.want)
		}
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; d > 30*time.Second || n > 128 {
			t.Errorf("%s: took %v and %d MiB", tt.name, d, n)
		}
	}
}
