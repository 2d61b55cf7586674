package contract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Topic is the topic of a name, nil if there is none.
func (d *Document) Topic(name string) *Topic {
	return find(d.Topics, func(t *Topic) bool { return t.Name == name })
}

// Group is the group of a name, nil if there is none.
func (d *Document) Group(name string) *Group {
	return find(d.Groups, func(g *Group) bool { return g.Name == name })
}

// Flow is the flow of a name, nil if there is none.
func (d *Document) Flow(name string) *Flow {
	return find(d.Flows, func(f *Flow) bool { return f.Name == name })
}

// ADR is the decision of an id, nil if there is none.
func (d *Document) ADR(id string) *ADR {
	return find(d.ADRs, func(a *ADR) bool { return a.ID == id })
}

// Payload is the payload of a name, nil if there is none.
func (d *Document) Payload(name string) *Payload {
	for _, p := range d.Payloads {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// PayloadOf is the payload of a topic, nil if the document gives none.
func (d *Document) PayloadOf(topic string) *Payload {
	if t := d.Topic(topic); t != nil && t.Payload != "" {
		return d.Payload(t.Payload)
	}
	return nil
}

func find[T any](all []T, is func(*T) bool) *T {
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// Role is one role of the document: the flows that it plays, in the document's order.
type Role struct {
	Name  string
	Kind  Kind
	Flows []*Flow
}

// Roles are all roles, in the order in which the flows first name them.
func (d *Document) Roles() []Role {
	var roles []Role
	for i := range d.Flows {
		f := &d.Flows[i]
		r := find(roles, func(r *Role) bool { return r.Name == f.Role })
		if r == nil {
			roles = append(roles, Role{Name: f.Role, Kind: f.Kind})
			r = &roles[len(roles)-1]
		}
		r.Flows = append(r.Flows, f)
	}
	return roles
}

// Role is the role of a name, nil if there is none.
func (d *Document) Role(name string) *Role {
	roles := d.Roles()
	return find(roles, func(r *Role) bool { return r.Name == name })
}

// RoleNames are the names of all roles, in the order of Roles.
func (d *Document) RoleNames() []string {
	var names []string
	for _, r := range d.Roles() {
		names = append(names, r.Name)
	}
	return names
}

// RolesOf are the roles of a kind, in the order of Roles.
func (d *Document) RolesOf(kind Kind) []Role {
	return slices.DeleteFunc(d.Roles(), func(r Role) bool { return r.Kind != kind })
}

// FlowsOf are the flows of a role, in the document's order.
func (d *Document) FlowsOf(role string) []*Flow {
	if r := d.Role(role); r != nil {
		return r.Flows
	}
	return nil
}

// GroupsOf are the names of the groups that a role's flows read in, each once.
func (d *Document) GroupsOf(role string) []string {
	var names []string
	for _, f := range d.FlowsOf(role) {
		if f.Group != "" && !slices.Contains(names, f.Group) {
			names = append(names, f.Group)
		}
	}
	return names
}

// Out is the flow that writes the summaries of a fold: the role's writing flow whose overwrite-key holds the window's into (the
// fold's own flow first), nil if there is none. Load sees to it that each fold has one.
func (d *Document) Out(fold *Flow) *Flow {
	if fold.Fold == nil {
		return nil
	}
	writes := func(f *Flow) bool {
		return f.Role == fold.Role && f.Writes != "" && slices.Contains(f.OverwriteKey, fold.Fold.Window.Into)
	}
	return find(d.Flows, func(f *Flow) bool { return f.Name == fold.Name && writes(f) || f.Fold == nil && writes(f) })
}

// Folds are the flows that fold, in the document's order.
func (d *Document) Folds() []*Flow {
	var folds []*Flow
	for i := range d.Flows {
		if d.Flows[i].Fold != nil {
			folds = append(folds, &d.Flows[i])
		}
	}
	return folds
}

// Writer is the first flow that writes a topic, nil if none does.
func (d *Document) Writer(topic string) *Flow {
	return find(d.Flows, func(f *Flow) bool { return f.Writes == topic && topic != "" })
}

// Pointer is the flow's place in the document.
func (f *Flow) Pointer() Pointer { return Pointer("/flows").Join(f.Name) }

// KeyFields are the fields of a summary that carry the fold's by-fields: overwrite-key without the window's into, in its order.
func (f *Flow) KeyFields(window Window) []Pointer {
	return slices.DeleteFunc(slices.Clone(f.OverwriteKey), func(p Pointer) bool { return p == window.Into })
}

// KeyOf is the key that a record of the topic must have, and whether its field is there.
func (t *Topic) KeyOf(record []byte) (string, bool) { return t.Key.From.Text(record) }

// Matches says whether a key has the topic's pattern. A topic without a pattern takes every key, a pattern that Load refuses none.
func (k Key) Matches(key string) bool {
	re := k.re
	if re == nil && k.Pattern != "" { // made by hand
		re, _ = regexp.Compile(k.Pattern)
	}
	return k.Pattern == "" || re != nil && re.MatchString(key)
}

// Retention is the topic's retention.ms as written, and whether the document gives one with a limit.
func (t *Topic) Retention() (ms string, limited bool) {
	ms, given := t.Config["retention.ms"]
	return ms, given && !strings.HasPrefix(ms, "-")
}

// retention is how long a topic keeps its records, and whether the document gives it a limit.
func (t *Topic) retention() (time.Duration, bool) {
	text, limited := t.Retention()
	ms, err := strconv.ParseInt(text, 10, 64)
	if !limited || err != nil || ms > int64(200*365*Day/time.Millisecond) {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

// has says whether the document gives a part.
func (d *Document) has(part Pointer) bool {
	if d.src.root == nil {
		return false
	}
	_, ok := d.src.root.At(part.Tokens())
	return ok
}
