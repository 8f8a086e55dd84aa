package audit

import (
	"strconv"
	"strings"
)

// A Record is one that the kernel makes for Landlock: of a domain, which is what a
// process enters with a ruleset, or of what one refused (security/landlock/audit.c,
// security/lsm_audit.c; admin-guide/LSM/landlock.rst).
type Record struct {
	Domain uint64 // its number, which no other domain has until the host restarts

	// Of a domain that is made known, which it is by its first refusal.
	Allocated bool
	PID       int // who entered it first, in the first pid namespace
	UID       int // in the first user namespace

	// Of a refusal.
	Blockers []string // the rights that were missing, such as "fs.read_file"
	Path     string   // as the one who was refused sees it; "" for what has none
	Port     string   // TCP
	Process  string   // the name of the process that was to be signalled or traced
	Command  string   // of ioctl(2), as "0x5401"
}

// Parse reads the text of a record: "audit(time:serial): " and fields.
func Parse(domain bool, text string) (Record, bool) {
	head, rest, ok := strings.Cut(strings.TrimRight(text, "\x00\n"), "): ")
	if !ok || !strings.HasPrefix(head, "audit(") {
		return Record{}, false
	}
	f := fields(rest)
	number, err := strconv.ParseUint(f["domain"], 16, 64)
	if err != nil {
		return Record{}, false
	}
	r := Record{Domain: number}
	if domain {
		if f["status"] != "allocated" {
			return Record{}, false
		}
		pid, err1 := strconv.Atoi(f["pid"])
		uid, err2 := strconv.Atoi(f["uid"])
		r.Allocated, r.PID, r.UID = true, pid, uid
		return r, err1 == nil && err2 == nil
	}
	if f["blockers"] == "" {
		return Record{}, false
	}
	r.Blockers = strings.Split(f["blockers"], ",")
	r.Path, r.Process, r.Command = untrusted(f["path"]), untrusted(f["ocomm"]), f["ioctlcmd"]
	if r.Path == "" {
		r.Path = untrusted(f["name"])
	}
	if r.Port = f["dest"]; r.Port == "" {
		r.Port = f["src"]
	}
	return r, true
}

// fields are the values by key. A value with a space in it is either quoted or, in
// hexadecimal, has none.
func fields(text string) map[string]string {
	found := map[string]string{}
	for text != "" {
		key, rest, ok := strings.Cut(strings.TrimLeft(text, " "), "=")
		if !ok {
			break
		}
		var value string
		if strings.HasPrefix(rest, `"`) {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				break
			}
			value, rest = rest[:end+2], rest[end+2:]
		} else {
			value, rest, _ = strings.Cut(rest, " ")
		}
		if _, twice := found[key]; !twice {
			found[key] = value
		}
		text = rest
	}
	return found
}

// untrusted is text of a program's choice, which the kernel writes in quotes, or in
// hexadecimal if it has quotes, spaces or control characters
// (audit_log_untrustedstring).
func untrusted(value string) string {
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		return strings.TrimSuffix(quoted, `"`)
	}
	b := make([]byte, len(value)/2)
	for i := range b {
		n, err := strconv.ParseUint(value[2*i:2*i+2], 16, 8)
		if err != nil {
			return ""
		}
		b[i] = byte(n)
	}
	return string(b)
}
