package withheld

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// A relative word in a variable of the caller's means what lies where his programs start:
// the folder that he is in, and for git the top of its work tree.

// A namer is a variable of the caller's by which something is run, loaded or read.
type namer struct {
	variable, value, why string
	in                   loadedIn
	commands             bool // its first word is a command, which PATH has if there is no slash in it
}

func (n namer) ofGit() bool { return strings.HasPrefix(n.variable, "GIT_") }

// element says whether a word is a whole one of a list, or the first of a command.
func (n namer) element(word string) bool {
	list := strings.FieldsFunc(n.value, func(c rune) bool { return c == ':' || c == ';' })
	fields := strings.Fields(n.value)
	return slices.Contains(list, word) || len(fields) > 0 && fields[0] == word
}

// empty says whether an empty element of its list is the folder that a program starts in.
func (n namer) empty() bool {
	return slices.Contains([]string{"CLASSPATH", "LD_LIBRARY_PATH", "PYTHONPATH"}, n.variable) && slices.Contains(strings.Split(n.value, ":"), "")
}

// relative are the places that a relative word of a variable's means. One that is nowhere
// may be an argument of any kind, unless it stands where a path does.
func (h *Looks) relative(n namer, word string) (list []string) {
	if strings.HasPrefix(word, "-") {
		return nil
	}
	from := []string{h.cwd}
	if n.ofGit() {
		from = append(from, h.workTree())
	}
	slash := strings.Contains(word, "/")
	several := len(strings.Fields(n.value)) > 1
	for _, dir := range from {
		places := h.placed(word, dir)
		if len(places) == 0 || n.commands && pathname.Below(dir, places[0]) {
			continue
		}
		means := false
		switch f, ok := h.look(places[0]); {
		case !ok && (strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../")):
			means = true
		case !ok:
			ofList := !n.commands && (strings.Contains(n.variable, "PATH") || strings.Contains(n.variable, "LIB"))
			means = !n.ofGit() && n.element(word) && (slash && !strings.Contains(word, " ") || ofList)
		case f.Dir():
			means = slash || several || !n.commands && n.variable != "ENV" || strings.HasSuffix(n.variable, "_DIR") || strings.HasSuffix(n.variable, "_PATH")
		default:
			means = true
		}
		if means {
			list = append(list, places...)
		}
	}
	return list
}

// workTree is the top of the one that the caller is in, or "".
func (h *Looks) workTree() string {
	for dir := h.cwd; dir != "/" && dir != "." && dir != ""; dir = path.Dir(dir) {
		if _, ok := h.look(path.Join(dir, ".git")); ok {
			return dir
		}
	}
	return ""
}

// gitVariables are the settings that the caller's variables have in the place of files
// (git-config(1)).
func gitVariables() (list []gitEntry) {
	const most = 1 << 10
	add := func(name, value string) {
		section, key, _ := strings.Cut(name, ".")
		of := ""
		if at := strings.LastIndexByte(key, '.'); at >= 0 {
			of, key = key[:at], key[at+1:]
		}
		if key != "" && len(list) < most {
			list = append(list, gitEntry{strings.ToLower(section), of, strings.ToLower(key), value})
		}
	}
	for n := range most {
		name, ok := os.LookupEnv("GIT_CONFIG_KEY_" + strconv.Itoa(n))
		if !ok {
			break
		}
		add(name, os.Getenv("GIT_CONFIG_VALUE_"+strconv.Itoa(n)))
	}
	var word strings.Builder
	quoted, escaped := false, false
	for _, c := range os.Getenv("GIT_CONFIG_PARAMETERS") + " " { // 'name=value' 'name'='value'
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\'':
			quoted = !quoted
		case c == '\\' && !quoted:
			escaped = true
		case c == ' ' && !quoted:
			name, value, _ := strings.Cut(word.String(), "=")
			add(name, value)
			word.Reset()
		default:
			word.WriteRune(c)
		}
	}
	return list
}
