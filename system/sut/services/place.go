package services

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tahanuji/system/contract"
)

// The placeholders. {{ is a brace that begins none; ${NAME} is left alone, it is the shell's.
var (
	places     = []string{"bootstrap", "topic", "group", "port", "state", "instance", "seed", "postgres"}
	named      = []string{"topic", "group"}
	placeMatch = regexp.MustCompile(`\{\{|\$?\{([a-z]+)(?::([^{}]*))?\}`)
)

// Expand replaces placeholders. get is asked for each with the word and, for {topic:NAME} and {group:NAME}, the name.
func Expand(text string, get func(word, name string) string) string {
	return placeMatch.ReplaceAllStringFunc(text, func(m string) string {
		switch {
		case m == "{{":
			return "{"
		case m[0] == '$':
			return m
		}
		parts := placeMatch.FindStringSubmatch(m)
		return get(parts[1], parts[2])
	})
}

// each calls see for every placeholder of a text.
func each(text string, see func(word, name string)) {
	Expand(text, func(word, name string) string { see(word, name); return "" })
}

// texts are all values of a role in which placeholders work.
func (role *Role) texts() []Text {
	out := slices.Clone(role.Command)
	for _, v := range role.Env {
		out = append(out, v.Value)
	}
	calls := []*Call{}
	if role.Accept != nil && role.Accept.HTTP != nil {
		calls = append(calls, role.Accept.HTTP)
	}
	if role.Rows != nil && role.Rows.HTTP != nil {
		calls = append(calls, role.Rows.HTTP)
	}
	for _, c := range calls {
		out = append(out, c.URL)
		for _, h := range c.Headers {
			out = append(out, h.Value)
		}
	}
	return append(out, role.Ready.HTTP, role.Ready.Port, role.Ready.Group)
}

// Uses says whether a role uses a placeholder.
func (role *Role) Uses(word string) bool {
	found := false
	for _, t := range role.texts() {
		each(t.Value, func(w, _ string) { found = found || w == word })
	}
	return found
}

// Stdio says whether a role is spoken to over standard input and output.
func (role *Role) Stdio() bool {
	return role.Accept != nil && role.Accept.HTTP == nil || role.Rows != nil && role.Rows.HTTP == nil
}

func (r *reader) placeholders(role *Role) {
	for _, t := range role.texts() {
		each(t.Value, func(word, name string) {
			switch {
			case !slices.Contains(places, word):
				r.faults = append(r.faults, Fault{t.Pos, fmt.Sprintf("unknown placeholder {%s}%s (a literal brace is written {{)",
					word, hint(word, places))})
			case slices.Contains(named, word) && name == "":
				r.faults = append(r.faults, Fault{t.Pos, fmt.Sprintf("{%s} needs a name: {%s:NAME}", word, word)})
			case !slices.Contains(named, word) && name != "":
				r.faults = append(r.faults, Fault{t.Pos, fmt.Sprintf("{%s} takes no name", word)})
			}
		})
		if strings.ContainsRune(t.Value, 0) {
			r.faults = append(r.faults, Fault{t.Pos, "a zero byte can't stand here"})
		}
	}
}

// executable checks command[0], unless a setup may still have to build it.
func (r *reader) executable(f *File, role *Role) {
	if len(role.Command) == 0 || len(f.Setup) > 0 || len(role.Setup) > 0 || strings.Contains(role.Command[0].Value, "{") {
		return
	}
	if _, err := Executable(role.Dir, role.Command[0].Value); err != nil {
		r.faults = append(r.faults, Fault{role.Command[0].Pos, fmt.Sprintf("roles.%s.command: %s", role.Name, err)})
	}
}

// Executable finds command[0]: relative to dir, and a bare name that is not there in PATH.
func Executable(dir, name string) (string, error) {
	local := name
	if !filepath.IsAbs(name) {
		local = filepath.Join(dir, name)
	}
	if info, err := os.Stat(local); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return local, nil
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return "", fmt.Errorf("no executable file %s", local)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no executable %q in %s nor in PATH: install it", name, dir)
	}
	return filepath.Abs(path)
}

// names checks {topic:NAME} and {group:NAME} against the document.
func (b *binding) names(role *Role) {
	for _, t := range role.texts() {
		each(t.Value, func(word, name string) {
			switch {
			case word == "topic" && !slices.Contains(b.topics, name):
				b.fault(t.Pos, "{topic:%s}: the document has no such topic%s", name, hint(name, b.topics))
			case word == "group" && !slices.Contains(b.groups, name):
				b.fault(t.Pos, "{group:%s}: the document has no such group%s", name, hint(name, b.groups))
			}
		})
	}
	if g := role.Ready.Group; g.Value != "" && !strings.Contains(g.Value, "{") && !slices.Contains(b.groups, g.Value) {
		b.fault(g.Pos, "ready.group: the document has no group %q%s", g.Value, hint(g.Value, b.groups))
	}
}

func (b *binding) fault(pos contract.Pos, format string, args ...any) {
	b.faults = append(b.faults, Fault{pos, fmt.Sprintf(format, args...)})
}
