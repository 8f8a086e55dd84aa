package jail

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

func layer(t *testing.T, res Result, name LayerName) Layer {
	t.Helper()
	for _, l := range res.Layers {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("there is no receipt of %s: %s", name, text(res))
	return Layer{}
}

// Each layer's receipt on this host: that it is there, by what mechanism, and
// the kernel's own words on it.
func TestReceipts(t *testing.T) {
	needGroup(t)
	needLandlock(t)
	res := runBox(t, shell("true"), IO{})
	for _, c := range []struct {
		name                LayerName
		mechanism, evidence string // regular expressions
	}{
		{LayerNamespaces, `clone`, `^user:\[\d+\] mnt:\[\d+\] pid:\[\d+\] net:\[\d+\] ipc:\[\d+\] uts:\[\d+\] cgroup:\[\d+\] NSpid 2$`},
		{LayerRoot, `^pivot_root, host uid \d+$`, `^/ tmpfs read-only uid (\d+) \d+ \d+ \d+ gid \d+ \d+ \d+ \d+ groups \[`},
		{LayerCaps, `PR_CAPBSET_DROP`, `^CapInh 0{16} CapPrm 0{16} CapEff 0{16} CapBnd 0{16} CapAmb 0{16} NoNewPrivs 1$`},
		{LayerLandlock, `^abi \d+$`, `EACCES after`},
		{LayerSeccomp, `^filter, \d+ instructions$`, `^Seccomp 2 Seccomp_filters [1-9]\d*$`},
		{LayerCgroup, `^cgroup[12]$`, `\d`},
		{LayerRlimits, `prlimit64`, `RLIMIT_NOFILE \{1024, 1024\} .*RLIMIT_CORE \{1, 1\} .*RLIMIT_CPU \{21, 22\}`},
	} {
		l := layer(t, res, c.name)
		if !l.Asked || !l.Applied || !regexp.MustCompile(c.mechanism).MatchString(l.Mechanism) || !regexp.MustCompile(c.evidence).MatchString(l.Evidence) {
			t.Errorf("%+v, want mechanism %s and evidence %s", l, c.mechanism, c.evidence)
		}
	}
	if len(res.Layers) != 7 {
		t.Errorf("%d layers, want 7", len(res.Layers))
	}
}

// The evidence is the program's own: what it can see of itself is the same.
func TestEvidenceIsTheProgramsOwn(t *testing.T) {
	res := runBox(t, shell("readlink /proc/self/ns/net /proc/self/ns/user; grep ^Seccomp: /proc/self/status"), IO{})
	want(t, res, ReasonOK)
	lines := strings.Fields(res.Stdout.Text)
	evidence := layer(t, res, LayerNamespaces).Evidence
	for _, ns := range lines[:2] {
		if !strings.Contains(evidence, ns) {
			t.Errorf("the program is in %s, and the evidence is %s", ns, evidence)
		}
	}
	for _, ns := range []string{"net", "user"} {
		if own, err := os.Readlink("/proc/self/ns/" + ns); err != nil || strings.Contains(evidence, own) {
			t.Errorf("the evidence has the caller's own %s (%v): %s", own, err, evidence)
		}
	}
}

// A receipt is no matter of course: without the wall it says so.
func TestReceiptsWithoutAWall(t *testing.T) {
	for wall, name := range map[ablation.Wall]LayerName{
		ablation.Landlock: LayerLandlock, ablation.Seccomp: LayerSeccomp, ablation.Caps: LayerCaps,
		ablation.Root: LayerRoot, ablation.Cgroup: LayerCgroup, ablation.Rlimits: LayerRlimits,
		ablation.Net: LayerNamespaces, ablation.IPC: LayerNamespaces, ablation.UTS: LayerNamespaces, ablation.PIDs: LayerNamespaces,
	} {
		res, err := Run(ablation.Without(context.Background(), wall), shell("true"))
		if err != nil {
			t.Errorf("without %s: %v", wall, err)
			continue
		}
		if l := layer(t, res, name); l.Applied {
			t.Errorf("without %s: %+v", wall, l)
		}
	}
}

// Capabilities are gone when every set is empty and nothing can bring them
// back.
func TestCapsReceipt(t *testing.T) {
	const none, one = "0000000000000000", "0000000000000001"
	good := map[string]string{"CapInh": none, "CapPrm": none, "CapEff": none, "CapBnd": none, "CapAmb": none, "NoNewPrivs": "1"}
	if l := caps(evidence{status: statusOf(good)}); !l.Applied {
		t.Errorf("nothing left: %+v", l)
	}
	for key := range good {
		for _, bad := range []string{one, "", "0" + one} {
			if key == "NoNewPrivs" && bad == one {
				bad = "0"
			}
			status := maps.Clone(good)
			status[key] = bad
			if l := caps(evidence{status: statusOf(status)}); l.Applied {
				t.Errorf("%s is %q: %+v", key, bad, l)
			}
		}
	}
}

// statusOf is a /proc/PID/status with those lines.
func statusOf(fields map[string]string) statusText {
	var b strings.Builder
	for key, value := range fields {
		b.WriteString(key + ":\t" + value + "\n")
	}
	return statusText(b.String())
}

// Before anything ran no layer claims to be applied.
func TestReceiptsOfARefusal(t *testing.T) {
	s := shell("")
	s.Dir = "/nonexistent"
	res, err := Run(context.Background(), s)
	if err == nil {
		t.Error("no error")
	}
	for _, l := range res.Layers {
		if l.Applied || l.Evidence != "" || l.Note == "" {
			t.Errorf("%+v", l)
		}
	}
}

// A layer that a host lacks is a refusal, unless the Spec says by name that it
// may be missing.
func TestLandlockMissing(t *testing.T) {
	h := ordinary()
	h.landlockABI = 0
	for errno, remedy := range map[unix.Errno]string{
		unix.EOPNOTSUPP: "lsm=", unix.ENOSYS: "CONFIG_SECURITY_LANDLOCK", unix.EPERM: "forbids landlock_create_ruleset",
	} {
		h.landlockErr = errno
		for tier, otherwise := range map[Tier]string{Tier1: "--optional landlock", Tier2: "a box of tier 2 is made of it"} {
			_, err := planLandlock(Spec{Tier: tier}, h, nil)
			var setup *SetupError
			if !errors.As(err, &setup) || setup.Stage != StageProbe || setup.Layer != LayerLandlock || !errors.Is(err, errno) ||
				!strings.Contains(setup.Remedy, remedy) || !strings.Contains(setup.Remedy, otherwise) {
				t.Errorf("a host without Landlock (%v), tier %d: %+v", errno, tier, err)
			}
		}
	}
	// What a kernel lacks besides is named with it, and going without is no way out.
	h.kernel, h.landlockErr = [2]int{5, 13}, unix.ENOSYS
	for _, tier := range []Tier{Tier1, Tier2} {
		_, err := planLandlock(Spec{Tier: tier}, h, nil)
		var setup *SetupError
		if !errors.As(err, &setup) || !strings.Contains(setup.Remedy, "Linux 5.14 or newer") || strings.Contains(setup.Remedy, "5.13") || strings.Contains(setup.Remedy, "--optional") {
			t.Errorf("Linux 5.13 without Landlock, tier %d: %+v", tier, err)
		}
	}
	handled, err := planLandlock(Spec{Optional: []LayerName{LayerLandlock}}, h, nil)
	if err != nil || handled.abi > 0 {
		t.Errorf("optional: %+v, %v", handled, err)
	}
	if err := (Spec{Optional: []LayerName{LayerLandlock}, Require: []string{"landlock>=1"}}).require(h); err == nil {
		t.Error("optional and required: no error")
	}
}

// The rights follow the kernel's ABI by table, and a kernel newer than the
// table gets all of the table.
func TestLandlockFollowsTheABI(t *testing.T) {
	h := ordinary()
	fs := uint64(0)
	for abi := 1; abi <= 20; abi++ {
		h.landlockABI = abi
		got, err := planLandlock(Spec{}, h, nil)
		if err != nil || got.abi != min(abi, len(landlockConfigs)-1) {
			t.Errorf("ABI %d: planned for %d (%v)", abi, got.abi, err)
		}
		now := uint64(got.config.HandledAccessFS)
		if now&fs != fs {
			t.Errorf("ABI %d handles less than ABI %d: %#x, %#x", abi, abi-1, now, fs)
		}
		fs = now
		if (got.config.HandledAccessNet != 0) != (abi >= 4) || (got.config.Scoped != 0) != (abi >= 6) {
			t.Errorf("ABI %d: net %v, scopes %v", abi, got.config.HandledAccessNet, got.config.Scoped)
		}
	}
}

// Optional weakens only what it names, and the record says that it did.
func TestOptionalCgroup(t *testing.T) {
	needLandlock(t)
	s := shell("echo ran")
	s.CgroupParent = "nonexistent/group"
	s.Optional = nil
	if res, err := Run(context.Background(), s); err == nil || res.Reason != ReasonSetupRefused || res.Refusal.Layer != LayerCgroup {
		t.Errorf("not optional: %v, %s", err, text(res))
	}
	s.Optional = []LayerName{LayerCgroup}
	res := runBox(t, s, IO{})
	wantStdout(t, res, "ran\n")
	if l := layer(t, res, LayerCgroup); l.Applied || l.Asked || !strings.Contains(l.Note, "nonexistent/group") {
		t.Errorf("optional: %+v", l)
	}
	others := slices.DeleteFunc(slices.Clone(res.Layers), func(l Layer) bool { return l.Name == LayerCgroup })
	for _, l := range others {
		if !l.Applied {
			t.Errorf("optional: %+v", l)
		}
	}
	if res.Usage.CPUUserMS == nil || res.Usage.MemoryPeakBytes == nil || res.Usage.OOMKills != nil {
		t.Errorf("usage without a cgroup: %s", text(res))
	}
}

func TestRequire(t *testing.T) {
	needLandlock(t)
	s := shell("true")
	s.Require = []string{"landlock>=1"}
	want(t, runBox(t, s, IO{}), ReasonOK)
}
