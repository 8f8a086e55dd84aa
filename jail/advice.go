package jail

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/withheld"
)

// What a failed program was refused is often why it failed, and often not:
// programs and their libraries try calls and do without them. So a record's
// message names what they rarely do without, its hint also the rest, and neither
// says that this was it.

// suspicion is how likely it is that a refusal is why a program failed.
type suspicion int

const (
	tried   suspicion = iota // often tried and done without
	lookup                   // so is this, by libc, which looks up names of users, and of hosts
	missed                   // asked for on purpose
	network                  // as that, and what fails most often
	told                     // as either, and the program itself names it
	hosts                    // the network, and the program tells of it
)

// often are calls that libraries try and do without: memory nodes, priorities,
// watches, locks, and whom a crash handler lets trace.
var often = []string{"get_mempolicy", "set_mempolicy", "mbind", "move_pages", "sched_setattr", "sched_setscheduler", "sched_setparam", "setpriority",
	"ioprio_set", "utimensat", "prctl", "sync", "syncfs", "flock", "inotify_init", "inotify_init1", "inotify_add_watch", "setgroups", "io_setup", "prlimit64", "setrlimit"}

func suspect(d Denial) suspicion {
	name, args, _ := strings.Cut(d.What, "(")
	switch {
	case d.common:
		return tried
	case d.What == trialSocket:
		return tried
	case strings.HasPrefix(d.What, connectingTo) && d.Layer == LayerNamespaces:
		return network
	case name == "socket" && (strings.HasPrefix(args, "AF_INET") || strings.HasPrefix(args, "AF_NETLINK")):
		return network
	case name == "socket" && args == "AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)":
		return lookup
	case name == "socket" || name == "socketpair" || slices.Contains(often, name):
		return tried
	}
	return missed
}

// trialSocket is made by libraries (urllib3) as soon as they are loaded, to find out
// whether there is IPv6. It is the network that was asked for where the program says
// that it found no host.
const trialSocket = "socket(AF_INET6, SOCK_STREAM)"

// suspicionOf is suspect with what the program itself says. What many programs look for in vain is nothing to tell of
// unless it is named there.
func suspicionOf(d Denial, said words) (s suspicion, any bool) {
	switch s = suspect(d); {
	case d.Errno == "":
		return 0, false
	case d.What == trialSocket && tellsOfHosts(said.all):
		return hosts, true
	case s == network && (tellsOfHosts(said.all) || said.ofFamilies()):
		return hosts, true
	case s == network && said.all != "" && (ofInterfaces(d) || said.ofFiles() && !said.ofNetwork()): // it asked what there is, or tried, and speaks of something else
		return tried, true
	case (d.common || s == missed) && said.name(d):
		return told, true
	case s == lookup && !said.ofNetwork(): // the shell, and much that it runs, looks names up at each start
		return tried, false
	case s == tried && d.Errno == "ENOSYS" && tellsOf(said.all, "unction not implemented", "ENOSYS"): // which no other is heard with
		return told, true
	}
	return s, !d.common
}

// ofInterfaces says whether a socket is one to ask the kernel about its network, and no way
// to anybody.
func ofInterfaces(d Denial) bool { return strings.HasPrefix(d.What, "socket(AF_NETLINK") }

// isNetwork says whether a denial is of the network, whatever else is known of it.
func isNetwork(d Denial) bool { return d.What == trialSocket || suspect(d) == network }

// suspects is the denial that a failure is most likely owed to; of equals, the first
// that programs rarely do without. It is nil if nothing was seen to be refused.
func suspects(denials []Denial, said words) (best *Denial, most suspicion) {
	for i := range denials {
		if s, ok := suspicionOf(denials[i], said); ok && (best == nil || s > most || s == most && best.common && !denials[i].common) {
			best, most = &denials[i], s
		}
	}
	return best, most
}

// accuse adds to a failed run's message and hint what it was refused. program is what
// ran; files is a hint about files that something other than denials has shown, or "";
// said is what it said of its failure.
func (res *Result) accuse(program, files, said string) {
	switch res.Reason {
	case ReasonExecutionFailed, ReasonSignaled, ReasonTimeout:
	default:
		return
	}
	w := wordsOf(said)
	d, s := suspects(res.Denials, w)
	if s < missed {
		words := cmp.Or(res.hostHint(said), res.fileHint("stderr", said))
		if d == nil || cmp.Or(files, words) != "" {
			res.Hint = joined(res.Hint, cmp.Or(files, exitHint(program, res.ExitCode), words))
			return
		}
	}
	ofNetwork := s >= network && isNetwork(*d)
	if res.Reason == ReasonTimeout && !ofNetwork {
		return
	}
	for i := range res.Denials {
		own, ok := suspicionOf(res.Denials[i], w)
		res.Denials[i].Likely = ok && own == s && s >= missed
	}
	switch {
	case ofNetwork:
		res.Message += refusedNetwork + d.inWords()
		if res.Reason == ReasonTimeout { // more time helps no program that waits for what is not there
			res.Hint = joined(networkHint(*d), res.Hint)
		} else {
			res.Hint = joined(res.Hint, networkHint(*d))
		}
	case s == lookup:
		res.Hint = joined(joined(res.Hint, exitHint(program, res.ExitCode)), d.lookupHint(said))
	case s >= missed:
		res.Message += ", and it was refused " + d.inWords()
		if makesCode(*d) {
			res.Message += ", which a JIT compiler makes its code with"
		}
		res.Hint = joined(res.Hint, d.wayOut())
	default:
		res.Hint = joined(joined(res.Hint, exitHint(program, res.ExitCode)), "it was refused "+d.inWords()+", which many programs try and do without; if that may be it: "+d.way())
	}
}

// acquit takes back that accuse named the network, before it was known what else the
// program said, and judges anew by w, which is all of it.
func (res *Result) acquit(w words) {
	i := slices.IndexFunc(res.Denials, func(d Denial) bool { return d.Likely && isNetwork(d) })
	if i < 0 || res.Reason != ReasonExecutionFailed || w.ofNetwork() {
		return
	}
	d := res.Denials[i]
	res.Message = strings.TrimSuffix(res.Message, refusedNetwork+d.inWords())
	res.Hint = strings.TrimSuffix(strings.TrimSuffix(res.Hint, networkHint(d)), "; ")
	for i := range res.Denials {
		res.Denials[i].Likely = false
	}
	res.accuse("", "", w.all)
}

// inWords is d in a sentence.
func (d Denial) inWords() string {
	if d.Count == 1 {
		return d.What + " (" + d.Errno + ")"
	}
	return d.What + " (" + d.Errno + ", " + strconv.FormatInt(d.Count, 10) + " times)"
}

// Way is Grant with what it opens besides, in words.
func (d Denial) Way() string { return d.Grant + d.opening(", which opens ") }

func (d Denial) opening(words string) string {
	if d.Opens == "" {
		return ""
	}
	return words + d.Opens
}

// wayOut is what would allow d, or why nothing does.
func (d Denial) wayOut() string {
	if d.Grant == "" {
		return neverWords(d.Never)
	}
	if strings.HasPrefix(d.Grant, "without ") {
		return "run it " + d.Grant
	}
	verb := " allows it"
	if flags, _, _ := strings.Cut(d.Grant, inPlaceOf); strings.Count(flags, " --") > 0 {
		verb = " allow it"
	}
	return d.Grant + verb + d.opening(", and opens ")
}

// way is wayOut for a call that may have been about the network: a socket alone brings
// nobody there.
func (d Denial) way() string {
	if d.What == trialSocket {
		return networkHint(d)
	}
	return d.wayOut()
}

// neverWords is why there is no flag to name.
func neverWords(never string) string {
	if strings.HasPrefix(never, withheld.NotHintedWord) {
		return never
	}
	return "no flag allows it (" + never + ")"
}

const refusedNetwork = ", and it was refused the network: "

const noNetwork = "a box reaches no network and finds no host, so what the program fetches has to be in it beforehand, such as packages, by --ro or --workspace"

func networkHint(d Denial) string {
	if d.Grant != "" {
		return noNetwork + "; for a server and its clients in one box, " + d.Grant + " gives it a 127.0.0.1 of its own"
	}
	return noNetwork
}

// makesCode says whether d is about memory that can be executed.
func makesCode(d Denial) bool {
	name, args, _ := strings.Cut(d.What, "(")
	return name == "memfd_create" || slices.Contains([]string{"mmap", "mprotect", "pkey_mprotect"}, name) && strings.Contains(args, "PROT_EXEC")
}

// exitHint is what an exit code of a program says by the convention of shells. The
// engine's is that of a WebAssembly module, which has none, or says so itself.
func exitHint(program string, code *int) string {
	if code == nil || filepath.Base(program) == "jaild" {
		return ""
	}
	switch *code {
	case 126:
		return fmt.Sprintf("by %d a shell says that it found a command and could not execute it: stderr names it", *code)
	case 127:
		return fmt.Sprintf("by %d a shell says that a command, and the dynamic loader that a library, is not in the box: stderr names it, and --ro grants it", *code)
	}
	return ""
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
