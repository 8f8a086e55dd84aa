package jail

import "testing"

// tier2 is a Spec of tier 2 that runs a line of /bin/sh.
func tier2(script string) Spec {
	s := shell(script)
	s.Tier, s.Optional = Tier2, nil
	return s
}

func TestTier2Runs(t *testing.T) {
	res := runBox(t, tier2("echo hello; id -u; pwd; cat /etc/shadow; ls /; echo x > f && cat f; sleep 100 & true"), IO{})
	t.Log(text(res))
	for _, l := range res.Layers {
		t.Logf("%+v", l)
	}
}
