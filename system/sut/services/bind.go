package services

import (
	"maps"
	"slices"
	"strings"

	"tahanuji/system/contract"
)

type binding struct {
	doc    *contract.Document
	topics []string
	groups []string
	flows  []string
	taken  map[string]string // document's role or flow -> who plays it
	faults Faults
}

// Bind holds the file against a document: each flow that is played exists and is played once, a role of the document is played
// whole or left out whole, and names of topics, groups and fields are the document's. It returns a copy that has what the file
// leaves to the document. The error is Faults.
func (f *File) Bind(doc *contract.Document) (*File, error) {
	bound := *f
	bound.Roles = nil
	b := &binding{doc: doc, taken: map[string]string{}}
	for _, t := range doc.Topics {
		b.topics = append(b.topics, t.Name)
	}
	for _, g := range doc.Groups {
		b.groups = append(b.groups, g.Name)
	}
	for _, flow := range doc.Flows {
		b.flows = append(b.flows, flow.Name)
	}
	for _, r := range f.Roles {
		role := *r
		if r.Rows != nil {
			rows := *r.Rows
			role.Rows = &rows
		}
		b.plays(&role)
		b.names(&role)
		b.parts(&role)
		bound.Roles = append(bound.Roles, &role)
	}
	if err := b.faults.orNil(); err != nil {
		return nil, err
	}
	return &bound, nil
}

func (b *binding) plays(role *Role) {
	role.Plain, role.Kinds = "", nil
	played := map[string]bool{}
	for _, p := range role.Plays {
		i := slices.IndexFunc(b.doc.Flows, func(f contract.Flow) bool { return f.Name == p.Value })
		if i < 0 {
			b.fault(p.Pos, "plays: the document has no flow %q%s", p.Value, hint(p.Value, b.flows))
			continue
		}
		flow := b.doc.Flows[i]
		played[flow.Name] = true
		switch {
		case role.Plain == "":
			role.Plain = flow.Role
		case role.Plain != flow.Role:
			b.fault(p.Pos, "plays: flow %s belongs to the document's role %s, and the flows before it to %s; "+
				"if one service plays them all, give them one role in the document", flow.Name, flow.Role, role.Plain)
		}
		if !slices.Contains(role.Kinds, flow.Kind) {
			role.Kinds = append(role.Kinds, flow.Kind)
		}
	}
	if role.Plain == "" {
		return
	}
	if other := b.taken[role.Plain]; other != "" {
		b.fault(role.Pos, "roles.%s: the document's role %s is played by roles.%s already", role.Name, role.Plain, other)
	}
	b.taken[role.Plain] = role.Name
	var missing []string
	for _, flow := range b.doc.Flows {
		if flow.Role == role.Plain && !played[flow.Name] {
			missing = append(missing, flow.Name)
		}
	}
	if len(missing) > 0 {
		b.fault(role.Pos, "roles.%s: the document's role %s also has %s: a role is played whole", role.Name, role.Plain,
			strings.Join(missing, ", "))
	}
}

// parts checks what hangs on the kind of a role, and fills defaults.
func (b *binding) parts(role *Role) {
	if role.Accept != nil && !slices.Contains(role.Kinds, contract.Recorder) && role.Plain != "" {
		b.fault(role.Pos, "roles.%s.accept: %s records nothing, it has no flow of a recorder", role.Name, role.Plain)
	}
	if role.Rows != nil && !slices.Contains(role.Kinds, contract.Display) && role.Plain != "" {
		b.fault(role.Pos, "roles.%s.rows: %s shows nothing, it has no flow of a display", role.Name, role.Plain)
	}
	if role.Rows != nil {
		b.rows(role)
	}
	if !role.Ready.Given {
		role.Ready.Group = Text{}
		for _, flow := range b.doc.Flows {
			if flow.Role == role.Plain && flow.Group != "" {
				role.Ready.Group = Text{Value: flow.Group, Pos: role.Pos}
			}
		}
		if role.Ready.Group.Value == "" && role.Uses("port") {
			role.Ready.Port = Text{Value: "{port}", Pos: role.Pos}
		}
	}
}

func (b *binding) rows(role *Role) {
	shown, ok := Shown(b.doc, role.Plain)
	if !ok {
		return // the document's own loader refuses a display that reads what nobody writes
	}
	rows := role.Rows
	if len(rows.Key) == 0 && !rows.Nested {
		for _, p := range shown.OverwriteKey {
			if rows.Value == nil {
				p = contract.Pointer(strings.TrimPrefix(string(p), string(b.doc.Envelope.Data)))
			}
			rows.Key = append(rows.Key, p)
		}
		if rows.Value != nil {
			b.fault(rows.pos, "roles.%s.rows.key: missing; where a row names %s", role.Name, join(shown.OverwriteKey))
		}
	}
	if !rows.Nested && len(rows.Key) != len(shown.OverwriteKey) {
		b.fault(rows.pos, "roles.%s.rows.key: %d places for the %d fields of overwrite-key (%s)", role.Name, len(rows.Key),
			len(shown.OverwriteKey), join(shown.OverwriteKey))
	}
	var fields []string
	if shown.Fold != nil {
		for _, a := range shown.Fold.Into {
			fields = append(fields, string(a.Into))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(rows.Value)) {
		if !slices.Contains(fields, string(field)) {
			b.fault(rows.pos, "roles.%s.rows.value: %s is no field of the fold%s", role.Name, field, hint(string(field), fields))
		}
	}
}

func join(ps []contract.Pointer) string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = string(p)
	}
	return strings.Join(out, ", ")
}

// Shown is the flow whose records the role's display flow reads, with the fold of the role that writes them.
func Shown(doc *contract.Document, role string) (contract.Flow, bool) {
	for _, reading := range doc.Flows {
		if reading.Role != role || reading.Kind != contract.Display {
			continue
		}
		writer := doc.Writer(reading.Reads)
		if writer == nil {
			continue
		}
		flow := *writer
		for _, fold := range doc.Folds() {
			if out := doc.Out(fold); out != nil && out.Name == flow.Name {
				flow.Fold = fold.Fold
			}
		}
		return flow, true
	}
	return contract.Flow{}, false
}
