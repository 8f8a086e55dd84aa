package jail

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

func (v *validator) view(mounts []Mount) {
	for i, m := range mounts {
		for _, f := range m.faults() {
			v.fault("view["+strconv.Itoa(i)+"]."+f.Field, f.Value, f.Want)
		}
	}
}

// faults are those of a Mount by itself.
func (m Mount) faults() (faults Faults) {
	fault := func(field, value, want string) { faults = append(faults, Fault{field, value, want}) }
	switch m.Kind {
	case MountSystem, MountRO, MountRW:
		if !path.IsAbs(m.Source) {
			fault("source", m.Source, "must be an absolute path")
		}
	case MountLink:
		if m.Source == "" {
			fault("source", m.Source, "must be the text of a link")
		}
	case MountTmpfs, MountFile:
	default:
		fault("kind", string(m.Kind), "must be one of system, ro, rw, tmpfs, link, file")
	}
	if !path.IsAbs(m.Target) || path.Clean(m.Target) != m.Target || m.Target == "/" {
		fault("target", m.Target, "must be an absolute path without . or .. and not /")
	}
	if top := boxOwn(m.Target); top != "" {
		fault("target", m.Target, "must not lie below "+top+", which is the box's own")
	}
	if strings.IndexByte(m.Target, 0) >= 0 {
		fault("target", m.Target, "must not hold a NUL byte")
	}
	if strings.IndexByte(m.Source, 0) >= 0 {
		fault("source", m.Source, "must not hold a NUL byte")
	}
	if m.Size < 0 || m.Size > maxSize || m.Size > 0 && m.Size < minTmpSize {
		fault("size", strconv.FormatInt(m.Size, 10), "must be "+LimitRange("limits.tmp_size"))
	}
	if len(m.Content) > maxContent {
		fault("content", fmt.Sprintf("%d bytes", len(m.Content)), fmt.Sprintf("must be at most %d bytes", maxContent))
	}
	return faults
}

// others are those of the faults that a look at the host found which f, of the Spec alone,
// doesn't say already: of a field there is one, and a mount of no kind has no other.
func (f Faults) others(found Faults) Faults {
	if len(f) == 0 {
		return found
	}
	told := make(map[string]bool, len(f))
	for _, fault := range f {
		told[fault.Field] = true
	}
	return slices.DeleteFunc(found, func(fault Fault) bool {
		mount, _, _ := strings.Cut(fault.Field, ".")
		return told[fault.Field] || told[mount+".kind"]
	})
}

// boxOwn is the folder of the box's own in which p lies, or "". /dev/shm may
// be something else than the default.
func boxOwn(p string) string {
	for _, top := range []string{"/proc", "/dev"} {
		if (p == top || strings.HasPrefix(p, top+"/")) && p != "/dev/shm" {
			return top
		}
	}
	return ""
}
