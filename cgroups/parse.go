package cgroups

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// unlimited is what "max" reads as.
const unlimited = math.MaxInt64

// parseValue reads a file that holds one count, or "max".
func parseValue(text string) (int64, error) {
	text = strings.TrimSuffix(text, "\n")
	if text == "max" {
		return unlimited, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q: want a number or max", text)
	}
	return n, nil
}

// parseKey reads the value of one key of a file that holds "key value" lines.
// A key that is not there is a noKey.
func parseKey(text, key string) (int64, error) {
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(line, " ")
		if ok && k == key {
			n, err := parseValue(v)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", key, err)
			}
			return n, nil
		}
	}
	return 0, noKey(key)
}

type noKey string

func (k noKey) Error() string { return "no key " + string(k) }

// parseCPUMax reads version 2's cpu.max: quota ("max" for none) and period, µs.
func parseCPUMax(text string) (quota, period int64, err error) {
	q, p, ok := strings.Cut(text, " ")
	if !ok {
		return 0, 0, fmt.Errorf("%.40q: want quota and period", text)
	}
	if quota, err = parseValue(q); err != nil {
		return 0, 0, fmt.Errorf("quota: %w", err)
	}
	if period, err = parseValue(p); err != nil {
		return 0, 0, fmt.Errorf("period: %w", err)
	}
	return quota, period, nil
}

// parseIOStat sums the bytes read and written over all devices of io.stat:
// "8:0 rbytes=1 wbytes=2 rios=…" per line; a device may have no fields.
func parseIOStat(text string) (read, written int64, err error) {
	for line := range strings.Lines(text) {
		for field := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(field, "=")
			sum := &read
			switch key {
			case "rbytes":
			case "wbytes":
				sum = &written
			default:
				continue
			}
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || n < 0 || *sum > math.MaxInt64-n {
				return 0, 0, fmt.Errorf("%.40q: want a count of bytes", field)
			}
			*sum += n
		}
	}
	return read, written, nil
}

// A membership is one line of /proc/PID/cgroup: the group a process is in, in
// one hierarchy. Version 2's line has no controllers.
type membership struct {
	controllers []string
	path        string
}

// parseMemberships reads /proc/PID/cgroup: "ID:controllers:path" lines.
func parseMemberships(text string) ([]membership, error) {
	var ms []membership
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, ok2 := strings.Cut(rest, ":")
		if !ok || !ok2 || !strings.HasPrefix(path, "/") {
			return nil, fmt.Errorf("%.80q: want id:controllers:path", line)
		}
		m := membership{path: path}
		if controllers != "" {
			m.controllers = strings.Split(controllers, ",")
		}
		ms = append(ms, m)
	}
	return ms, nil
}

// A mount is one mounted hierarchy: which of its groups is seen where.
type mount struct {
	root, point string
	version     Version
	options     []string // version 1: the controllers are among them
}

// parseMountinfo picks the control-group mounts out of /proc/PID/mountinfo
// (proc_pid_mountinfo(5)). Lines that it does not understand are other mounts'.
func parseMountinfo(text string) []mount {
	var mounts []mount
	for line := range strings.Lines(text) {
		head, tail, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(head), strings.Fields(tail)
		if !ok || len(left) < 6 || len(right) < 3 {
			continue
		}
		m := mount{root: Unescape(left[3]), point: Unescape(left[4])}
		switch right[0] {
		case "cgroup":
			m.version, m.options = V1, strings.Split(right[2], ",")
		case "cgroup2":
			m.version = V2
		default:
			continue
		}
		mounts = append(mounts, m)
	}
	return mounts
}

// Unescape is a field of mountinfo as it is: blank, tab, newline and backslash stand
// in it as \ooo (proc_pid_mountinfo(5)).
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// below returns path as seen from root, both absolute.
func below(root, path string) (string, bool) {
	if root == "/" {
		return path, true
	}
	rest, ok := strings.CutPrefix(path, root)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return "/" + strings.TrimPrefix(rest, "/"), true
}
