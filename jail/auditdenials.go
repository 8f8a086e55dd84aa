package jail

import (
	"cmp"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// A landlockRight is one that a record names (security/landlock/audit.c).
type landlockRight struct {
	phrase string
	want   paths.Want // of a path; 0 is for what no grant of files gives
	errno  syscall.Errno
	never  string // why nothing does
}

const (
	neverSignals = "a box's processes signal and trace each other and nobody else"
	neverMoves   = "Landlock lets nothing be moved or linked from one folder to another whose rights differ: have it copied"
)

// landlockRights are those that a box can be refused, by name. Those on what is in a
// folder are recorded with the folder's path.
func landlockRights() map[string]landlockRight {
	file := func(phrase string, want paths.Want) landlockRight {
		return landlockRight{phrase: phrase, want: want, errno: unix.EACCES}
	}
	return map[string]landlockRight{
		"fs.execute": file("executing", paths.Execute), "fs.write_file": file("writing", paths.Write), "fs.read_file": file("reading", paths.Read),
		"fs.read_dir": file("listing", paths.Read), "fs.truncate": file("cutting", paths.Write),
		"fs.remove_dir": file("removing a folder in", paths.Write), "fs.remove_file": file("removing a file in", paths.Write),
		"fs.make_dir": file("making a folder in", paths.Write), "fs.make_reg": file("making a file in", paths.Write),
		"fs.make_sock": file("making a socket in", paths.Write), "fs.make_fifo": file("making a pipe in", paths.Write),
		"fs.make_sym":                {"making a link in", paths.Write, unix.EACCES, ""},
		"fs.make_char":               {"making a device in", 0, unix.EACCES, "no box makes devices"},
		"fs.make_block":              {"making a device in", 0, unix.EACCES, "no box makes devices"},
		"fs.refer":                   {"moving or linking to or from", 0, unix.EXDEV, neverMoves},
		"fs.ioctl_dev":               {"a device's command to", 0, unix.EACCES, "of all devices only a terminal of the box's own takes commands"},
		"fs.resolve_unix":            {"connecting to", 0, unix.EACCES, "sockets of the host's are for no box to connect to"},
		"fs.change_topology":         {"mounting", 0, unix.EPERM, "mounts and roots: the view is fixed before the program starts"},
		"net.bind_tcp":               {"taking a TCP port", 0, unix.EACCES, ""},
		"net.connect_tcp":            {"connecting to a TCP port", 0, unix.EACCES, ""},
		"scope.signal":               {"signalling", 0, unix.EPERM, neverSignals},
		"scope.abstract_unix_socket": {"connecting to an abstract Unix socket", 0, unix.EPERM, "those of the host's are for no box to connect to"},
		"ptrace":                     {"tracing", 0, unix.EPERM, neverSignals},
	}
}

// auditDenials are what the records tell, but for paths of which the tracer has told.
func (r *run) auditDenials(traced []Denial) []Denial {
	var denials []Denial
	rights := landlockRights()
	for i := range r.audit.refusals {
		ref := &r.audit.refusals[i]
		if ref.Path != "" && slices.ContainsFunc(traced, func(d Denial) bool {
			return d.Layer == LayerLandlock && strings.HasSuffix(d.What, shellword.Shown(ref.Path))
		}) {
			continue
		}
		denials = append(denials, r.auditDenial(ref, rights))
	}
	if r.audit.beyond > 0 {
		denials = append(denials, Denial{Layer: LayerLandlock, What: "other accesses", Count: r.audit.beyond, Source: sourceAudit,
			Never: "no more than the first that look different are told apart"})
	}
	return denials
}

func (r *run) auditDenial(ref *auditRefusal, rights map[string]landlockRight) Denial {
	d := Denial{Layer: LayerLandlock, Count: ref.count, Source: sourceAudit}
	var want paths.Want
	var phrases []string
	for _, name := range ref.Blockers {
		right, ok := rights[name]
		if !ok {
			right = landlockRight{phrase: name, errno: unix.EACCES, never: "jail knows no flag for it"}
		}
		phrases, want = append(phrases, right.phrase), want|right.want
		d.Never, d.Errno = cmp.Or(d.Never, right.never), unix.ErrnoName(right.errno)
	}
	d.What = strings.Join(phrases, " and ") + ref.object()
	switch {
	case d.Never != "":
		d.common = slices.Contains(ref.Blockers, "fs.ioctl_dev") // isatty(3)
	case ref.Path != "":
		r.grantOfAudited(&d, ref.Path, want)
		d.common = soughtOften(&pathRefusal{asked: ref.Path, want: want})
	case r.spec.inPlace():
		d.Never = "there is no network of a tier 2 box's own, and none of the host's for it"
	default:
		d.Grant, d.Setting = "--net loopback", `net.mode = "loopback"`
	}
	return d
}

// object is what was to be accessed, in words.
func (ref *auditRefusal) object() string {
	switch {
	case ref.Path != "" && ref.Command != "":
		return " " + shellword.Shown(ref.Path) + " (ioctl " + ref.Command + ")"
	case ref.Path != "":
		return " " + shellword.Shown(ref.Path)
	case ref.Port != "":
		return " " + ref.Port
	case ref.Process != "":
		return " " + shellword.Shown(ref.Process)
	}
	return ""
}

// grantOfAudited adds to a denial what would allow a path of the box's.
func (r *run) grantOfAudited(d *Denial, path string, want paths.Want) {
	var g pathGrant
	switch m := r.plan.view.mountAt(path); {
	case r.spec.inPlace():
		f, ok := r.looks().At(path)
		if !ok {
			d.Never = r.looks().Unfound("it was there then and is not now")
			return
		}
		g = r.grantOn(f, "", want)
	case m != nil && want&paths.Write == 0:
		const own = "it is the box's own"
		source := m.source(path)
		if source == "" {
			d.Never = own
			return
		}
		f, ok := r.looks().At(source)
		if !ok {
			d.Never = r.looks().Unfound(own)
			return
		}
		g = r.grantOn(f, path, want)
	default:
		g = r.grantOfReadOnly(&pathRefusal{asked: path, real: path, want: want})
	}
	g = r.typed(g)
	d.Grant, d.Setting = g.flags, g.setting
	d.Opens, d.Never = g.opens, g.never
}
