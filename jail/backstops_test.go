package jail

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// noGroup is a shell's box that finds no group to be capped by.
func noGroup(script string, l Limits) Spec {
	s := shell(script)
	s.CgroupParent = "no-such-group"
	if groupError() == nil {
		s.Optional = append(s.Optional, LayerCgroup)
	}
	s.Limits = l
	if s.Limits.Timeout == 0 {
		s.Limits.Timeout = patience(time.Minute)
	}
	return s
}

// hold is a process that holds size of memory, in the background, for as long as
// the box lives.
func hold(size string) string {
	return "head -c " + size + " /dev/zero | tail -c " + size + " | sleep 600 & "
}

// noticing is how long a program goes on with what a watch is to notice.
func noticing() time.Duration { return unhurried(4*time.Second, time.Second) }

// holdThree is three of them, and an end when each has held all of its own for
// long enough to be looked at: however long that takes here, it is tail that writes,
// and only then.
func holdThree() string {
	return fmt.Sprintf(`mkfifo /tmp/full; exec 3<>/tmp/full
	for i in 1 2 3; do
		head -c 40M /dev/zero | tail -c 40M | (head -c 1 >/dev/null; echo >&3; exec sleep 600) &
	done
	read x <&3; read x <&3; read x <&3; exec sleep %.0f`, noticing().Seconds())
}

// Each case is run with a cap that it stays below, and with one that it goes
// past: only the cap makes the difference.
func TestBackstops(t *testing.T) {
	for _, c := range []struct {
		name, script string
		enough, less Limits
		want         Reason
	}{
		{"memory of the whole tree, of which no process has much", holdThree(),
			Limits{Memory: 512 << 20}, Limits{Memory: 100 << 20}, ReasonOutOfMemory},
		{"memory of one process", "head -c 40M /dev/zero | tail -c 40M | wc -c | grep -q 41943040",
			Limits{Memory: 512 << 20}, Limits{Memory: 20 << 20}, ReasonExecutionFailed},
		{"processes", "i=0; while [ $i -lt 30 ]; do sleep 600 & i=$((i+1)); done",
			Limits{Pids: 100}, Limits{Pids: 20}, ReasonExecutionFailed},
		{"processor time of the whole tree", "for i in 1 2 3 4 5 6 7 8; do sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; done; sleep " + fmt.Sprint(noticing().Seconds()),
			Limits{CPUTime: patience(60 * time.Second)}, Limits{CPUTime: 300 * time.Millisecond}, ReasonCPUTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			want(t, runBox(t, noGroup(c.script, c.enough), IO{}), ReasonOK)
			res := runBox(t, noGroup(c.script, c.less), IO{})
			if c.less.Memory > 0 && c.want == ReasonExecutionFailed && res.Reason == ReasonOutOfMemory {
				return // the watch saw, before one process was refused more, that all had too much
			}
			want(t, res, c.want)
			if c.want == ReasonOutOfMemory && !strings.Contains(res.Message, "ended by the supervisor") {
				t.Errorf("message %q, want that the supervisor ended it", res.Message)
			}
			if !res.TreeEmpty {
				t.Error("something of the box is left")
			}
		})
	}
}

// What a program says of a process or of memory that it was refused there is told, with
// the flag that raises it; and with a group, where such words are of something else, not.
func TestBackstopsAreHinted(t *testing.T) {
	few, little := Limits{Pids: 20}, Limits{Memory: 32 << 20}
	for _, c := range []struct {
		program string
		limits  Limits
		args    []string
		want    string
	}{
		{"/bin/sh", few, []string{"-c", "i=0; while [ $i -lt 30 ]; do sleep 600 & i=$((i+1)); done"}, "there may be 20: raise --pids"},
		{"/usr/bin/python3", few, []string{"-c", "import threading, time\nfor i in range(50): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()"}, "--pids"},
		{"/usr/bin/python3", few, []string{"-c", "import os, time\nfor i in range(50):\n  if not os.fork(): time.sleep(600)"}, "--pids"},
		{"/usr/bin/python3", little, []string{"-c", "bytearray(64 << 20)"}, "may have 33554432 bytes of its own instead: raise --memory"},
		{"/usr/bin/perl", little, []string{"-e", `$x = "a" x (64 << 20)`}, "--memory"},
		{"/usr/bin/python3", little, []string{"-c", "raise RuntimeError('no memory of it')"}, ""},
	} {
		if _, err := os.Stat(c.program); err != nil {
			continue
		}
		s := noGroup("", c.limits)
		s.Args, s.Env = append([]string{c.program}, c.args...), append(s.Env, "HOME=/tmp")
		res := runBox(t, s, IO{})
		if res.Reason == ReasonOutOfMemory {
			continue // the watch saw it first
		}
		if want(t, res, ReasonExecutionFailed); !strings.Contains(res.Hint, c.want) || c.want == "" && res.Hint != "" {
			t.Errorf("%v: hint %q, want %q in it: %s", c.args, res.Hint, c.want, text(res))
		}
	}
	if groupError() != nil {
		return
	}
	if res := runBox(t, shell("echo Cannot fork, Out of memory >&2; exit 1"), IO{}); res.Hint != "" {
		t.Errorf("with a group: hint %q, want none", res.Hint)
	}
}

// The record says what stands in for the group, and claims no cap that is none.
func TestBackstopsAreNamed(t *testing.T) {
	res := runBox(t, noGroup("exit 0", Limits{}), IO{})
	if l := res.Limits; l.MemoryBytes != nil || l.CPUs != nil || l.Pids == nil || l.CPUTimeMS == nil {
		t.Errorf("limits in force: %+v, want processes and processor time, and neither memory nor CPUs", l)
	}
	layer := map[LayerName]Layer{}
	for _, l := range res.Layers {
		layer[l.Name] = l
	}
	if l := layer[LayerCgroup]; l.Applied || !strings.Contains(l.Note, "RLIMIT_DATA") || !strings.Contains(l.Note, "watched by the supervisor") {
		t.Errorf("cgroup layer: %+v", l)
	}
	if e := layer[LayerRlimits].Evidence; !strings.Contains(e, "RLIMIT_DATA") || !strings.Contains(e, "RLIMIT_NPROC") {
		t.Errorf("rlimits: %s", e)
	}
	if e := receiptOf(runBox(t, shell("exit 0"), IO{}), LayerRlimits); groupError() == nil && strings.Contains(e, "RLIMIT_NPROC") {
		t.Errorf("with a group: %s", e)
	}
}

func receiptOf(res Result, name LayerName) string {
	for _, l := range res.Layers {
		if l.Name == name {
			return l.Evidence
		}
	}
	return ""
}

func TestStatusMemory(t *testing.T) {
	status := "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t     100 kB\nRssFile:\t     500 kB\nRssShmem:\t      20 kB\nVmPTE:\t  3 kB\nVmSwap:\t 7 kB\n"
	if got, ok := statusMemory([]byte(status)); !ok || got != 130<<10 {
		t.Errorf("statusMemory = %d, %v, want %d", got, ok, 130<<10)
	}
	if got, ok := statusMemory([]byte("Name:\tx\nState:\tZ (zombie)\n")); ok {
		t.Errorf("of a dead one: %d", got)
	}
}

func TestMeasureTree(t *testing.T) {
	if use := measureTree(os.Getpid(), 1000); use.processes == 0 || use.memory == 0 {
		t.Errorf("of this process: %+v", use)
	}
	if use := measureTree(1<<30, 1000); use.processes != 0 || use.memory != 0 || len(use.own) != 0 {
		t.Errorf("of none: %+v", use)
	}
}
