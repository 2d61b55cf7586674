package services

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// sizeLimit of a sut.yaml, in bytes.
const sizeLimit = 1 << 20

// Load reads a sut.yaml strictly: an unknown key, a wrong form, a folder that is not there. The error is Faults with all of
// them at once, or says that the file can't be read. What depends on the document is left to Bind.
func Load(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("sut file: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, sizeLimit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("sut file: %w", err)
	}
	return Parse(path, text)
}

// Parse is Load for text that was read from path.
func Parse(path string, text []byte) (*File, error) {
	r := &reader{file: path}
	if len(text) > sizeLimit {
		r.fault(nil, "larger than %d bytes", sizeLimit)
		return nil, r.faults.orNil()
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("sut file: %w", err)
	}
	var doc, second yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(text))
	if err := in.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			r.fault(nil, "the file is empty")
		} else {
			r.fault(nil, "no YAML: %s", err)
		}
		return nil, r.faults.orNil()
	}
	if err := in.Decode(&second); !errors.Is(err, io.EOF) {
		r.fault(nil, "one YAML document is expected, and there is more after the first")
	}
	file := &File{Path: path, Dir: dir}
	if len(doc.Content) == 1 {
		r.top(file, doc.Content[0])
	}
	if err := r.faults.orNil(); err != nil {
		return nil, err
	}
	return file, nil
}

func (r *reader) top(f *File, n *yaml.Node) {
	t, ok := r.table(n, "", []string{"system", "broker", "setup", "inherit", "roles"})
	if !ok {
		return
	}
	if s := t.text("system"); s.Value != "" {
		f.System = s.Value
		if !filepath.IsAbs(f.System) {
			f.System = filepath.Join(f.Dir, f.System)
		}
		if _, err := os.Stat(f.System); err != nil {
			r.fault(t.items["system"], "system: no file %s", f.System)
		}
	}
	f.Exact = true
	if t.has("broker") {
		if b, ok := r.table(t.items["broker"], "broker", []string{"topics"}); ok {
			f.Exact = b.choice("topics", "exact", "prefixed") == "exact"
		}
	}
	f.Setup = t.commands("setup")
	f.Inherit = t.words("inherit")
	if !t.has("roles") || t.items["roles"].Tag == "!!null" {
		r.fault(t.node, "roles: missing; name at least one role that is yours")
		return
	}
	roles, ok := r.table(t.items["roles"], "roles", nil)
	if !ok {
		return
	}
	if len(roles.keys) == 0 {
		r.fault(roles.node, "roles: empty; name at least one role that is yours")
	}
	for _, name := range roles.keys {
		if !roleName.MatchString(name) {
			r.fault(roles.names[name], "roles: %q is no name of a role: letters, digits, - . _, at most 60", name)
			continue
		}
		role := r.role(f, name, roles.items[name])
		role.Pos = r.pos(roles.names[name])
		f.Roles = append(f.Roles, role)
	}
}

var roleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`)

// commands reads one command ([go, build, .]) or several ([[npm, ci], [npm, run, build]]).
func (t table) commands(key string) [][]string {
	if !t.has(key) {
		return nil
	}
	n := t.items[key]
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 && plain(n.Content[0]).Kind == yaml.SequenceNode {
		var out [][]string
		for _, one := range n.Content {
			if c := texts(t.r.list(one, t.path(key))); len(c) > 0 {
				out = append(out, c)
			}
		}
		return out
	}
	if c := t.words(key); len(c) > 0 {
		return [][]string{c}
	}
	t.r.fault(n, "%s: a command is a list, such as [make, build]", t.path(key))
	return nil
}

func texts(list []Text) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Value)
	}
	return out
}

var signals = []string{"TERM", "INT", "QUIT", "HUP", "USR1", "USR2", "KILL"}

func (r *reader) role(f *File, name string, n *yaml.Node) *Role {
	role := &Role{Name: name, Instances: 1, Restart: true, Dir: f.Dir,
		Ready: Ready{Within: ReadyWithin}, Stop: Stop{Signal: "TERM", Within: StopWithin}}
	what := "roles." + name
	t, ok := r.table(n, what, []string{"plays", "command", "dir", "env", "inherit", "setup", "instances", "ready", "accept",
		"rows", "stop", "restart"})
	if !ok {
		return role
	}
	role.Plays = t.list("plays")
	if len(role.Plays) == 0 {
		r.fault(t.node, "%s.plays: missing; name the flows of the document that this role plays", what)
	}
	if d := t.text("dir"); d.Value != "" {
		if role.Dir = d.Value; !filepath.IsAbs(d.Value) {
			role.Dir = filepath.Join(f.Dir, d.Value)
		}
		if info, err := os.Stat(role.Dir); err != nil || !info.IsDir() {
			r.fault(t.items["dir"], "%s.dir: no folder %s", what, role.Dir)
		}
	}
	role.Command = t.list("command")
	if len(role.Command) == 0 || role.Command[0].Value == "" {
		r.fault(t.node, "%s.command: missing; a list, such as [python3, service.py]", what)
	}
	role.Env = t.variables("env", false)
	role.Inherit = slices.Concat(f.Inherit, t.words("inherit"))
	role.Setup = t.commands("setup")
	if t.has("instances") {
		if i, ok := r.number(t.items["instances"], what+".instances", 1, 100); ok {
			role.Instances = i
		}
	}
	if t.has("ready") {
		role.Ready = r.ready(t.items["ready"], what+".ready")
	}
	if t.has("accept") {
		role.Accept = r.accept(t.items["accept"], what+".accept")
	}
	if t.has("rows") {
		role.Rows = r.rows(t.items["rows"], what+".rows")
	}
	if t.has("stop") {
		if s, ok := r.table(t.items["stop"], what+".stop", []string{"signal", "within"}); ok {
			role.Stop = Stop{s.choice("signal", signals...), s.limit("within", StopWithin)}
		}
	}
	role.Restart = t.choice("restart", "always", "never") == "always"
	r.placeholders(role)
	r.executable(f, role)
	return role
}
