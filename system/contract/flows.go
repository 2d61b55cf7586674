package contract

import (
	"fmt"
	"slices"
	"time"

	"tahanuji/system/contract/tree"
)

func (r *reader) flows(root *tree.Node) []Flow {
	var flows []Flow
	for _, e := range r.entries(root, "flows", "the document") {
		what := "flow " + e.Name
		m := r.mapping(e.Value, "flow", what)
		f := Flow{Name: e.Name, Pos: pos(e.At), Role: r.text(m, "role", what)}
		for _, name := range []string{e.Name, f.Role} {
			if name != "" && !plainName.MatchString(name) {
				r.fault(pos(e.At), "value", fmt.Sprintf("%s is no name of a flow or role", quoted(name)), "at most 64 characters, without spaces and /")
			}
		}
		f.Kind = Kind(r.choice(m, "kind", what, "", string(Recorder), string(Summarizer), string(Display)))
		f.Reads, f.Writes, f.Group = r.text(m, "reads", what), r.text(m, "writes", what), r.text(m, "group", what)
		f.Semantics = r.choice(m, "semantics", what, "", "at-least-once", "at-most-once", "exactly-once")
		f.Commit = r.choice(m, "commit", what, "", "after-store", "before-store")
		f.View = r.choice(m, "view", what, "", "last-by-key")
		f.OverwriteKey, f.SameValue = r.pointers(m, "overwrite-key", what), r.truth(m, "same-value", what)
		if d, ok := m.Get("dedupe"); ok {
			dm := r.mapping(d, "dedupe", what+".dedupe")
			f.Dedupe = &Dedupe{By: r.pointer(dm, "by", what+".dedupe"), Window: r.duration(dm, "window", what+".dedupe", time.Second)}
		}
		if p, ok := m.Get("producer"); ok {
			pm := r.mapping(p, "producer", what+".producer")
			f.Producer = &Producer{Acks: r.acks(pm, what+".producer"), Idempotent: r.truth(pm, "idempotent", what+".producer")}
			if f.Producer.Idempotent && (f.Producer.Acks == "1" || f.Producer.Acks == "0") {
				r.fault(pos(p.Place), "value", what+" wants an idempotent producer without acks=all", "Kafka's idempotent producer needs acks: all")
			}
		}
		if fold, ok := m.Get("fold"); ok {
			f.Fold = r.fold(fold, what+".fold")
		}
		r.sides(m, f, what)
		flows = append(flows, f)
	}
	return flows
}

// acks are all, 1 or 0; -1, as Kafka's clients write all on the wire, is told apart from a slip of 1.
func (r *reader) acks(m *tree.Node, what string) string {
	if n, ok := m.Get("acks"); ok && n.Text == "-1" {
		r.fault(pos(n.Place), "value", what+".acks is -1", "write all, which is the same")
		return ""
	}
	return r.choice(m, "acks", what, "", "all", "1", "0")
}

// sides: what belongs to reading stands on a flow that reads, what belongs to writing on one that writes.
func (r *reader) sides(m *tree.Node, f Flow, what string) {
	if f.Reads == "" && f.Writes == "" {
		if _, ok := m.Get("reads"); !ok {
			r.fault(f.Pos, "missing-key", what+" neither reads nor writes", "name a topic under reads or writes")
		}
		return
	}
	for _, p := range m.Pairs {
		switch p.Name {
		case "group", "commit", "dedupe", "fold", "view":
			if f.Reads == "" {
				r.fault(pos(p.At), "value", fmt.Sprintf("%s has %s and reads nothing", what, p.Name), "it belongs to a flow that reads")
			}
		case "producer", "overwrite-key", "same-value":
			if f.Writes == "" {
				r.fault(pos(p.At), "value", fmt.Sprintf("%s has %s and writes nothing", what, p.Name), "it belongs to a flow that writes")
			}
		}
	}
	if _, ok := m.Get("group"); !ok && f.Reads != "" {
		r.fault(f.Pos, "missing-key", what+" reads without a group", "name its consumer group under group")
	}
}

func (r *reader) fold(n *tree.Node, what string) *Fold {
	m := r.mapping(n, "fold", what)
	f := &Fold{By: r.pointers(m, "by", what), Emit: r.choice(m, "emit", what, "on-close", "on-close", "on-change")}
	if window, ok := m.Get("window"); ok {
		f.Window = r.window(window, what+".window")
	}
	if c, ok := m.Get("close"); ok {
		f.Close = r.duration(r.mapping(c, "close", what+".close"), "silence", what+".close", time.Millisecond)
		if f.Emit == "on-change" {
			r.fault(pos(c.Place), "value", what+" closes by silence and emits on change", "close belongs to emit: on-close")
		}
	}
	for _, e := range r.entries(m, "into", what) {
		into := r.pointerText(pos(e.At), e.Name, what+".into")
		if into == f.Window.Into && into != "" {
			r.fault(pos(e.At), "value", fmt.Sprintf("%s.into writes %s, where the window's start goes", what, into), "take another field")
		}
		f.Into = append(f.Into, r.aggregate(e.Value, into, what+".into "+e.Name))
	}
	if n, ok := m.Get("into"); ok && n.Kind == tree.Map && len(n.Pairs) == 0 {
		r.fault(pos(n.Place), "value", what+".into is empty", "name at least one aggregate")
	}
	return f
}

func (r *reader) window(n *tree.Node, what string) Window {
	m := r.mapping(n, "window", what)
	w := Window{Of: r.pointer(m, "of", what), Size: r.duration(m, "size", what, time.Second), Into: r.pointer(m, "into", what), Zone: "UTC"}
	w.As = r.choice(m, "as", what, "time", "time", "date", "number")
	w.Grace = r.duration(m, "grace", what, 0)
	size, _ := m.Get("size")
	if w.Size > 0 && Day%w.Size != 0 {
		r.fault(pos(size.Place), "value", fmt.Sprintf("%s.size is %s", what, size.Text), "write a length that divides a day, P1D at most: windows begin at local midnight")
		w.Size = 0
	}
	if w.As == "date" && w.Size != Day && w.Size > 0 {
		r.fault(pos(size.Place), "value", what+" of less than a day is written as a date", "write as: time or as: number")
	}
	if zone, ok := m.Get("zone"); ok {
		w.Zone = r.text(m, "zone", what)
		loc, err := time.LoadLocation(w.Zone)
		if w.Zone != "" && (err != nil || w.Zone == "Local") {
			r.fault(pos(zone.Place), "value", fmt.Sprintf("%s.zone is %s", what, quoted(w.Zone)), "write a name of the IANA time zone database, such as UTC or Asia/Jakarta")
			loc = nil
		}
		w.loc = loc
	}
	if w.loc == nil {
		w.loc = time.UTC
	}
	return w
}

var aggregates = []string{"sum", "min", "max", "mean"}

func (r *reader) aggregate(n *tree.Node, into Pointer, what string) Aggregate {
	a := Aggregate{Into: into, Decimals: -1}
	if n.Kind == tree.String {
		if a.Op = n.Text; n.Text != "count" {
			r.fault(pos(n.Place), "value", fmt.Sprintf("%s is %s", what, quoted(n.Text)), "write count, or such as {sum: /data/field}")
		}
		return a
	}
	if of, ok := n.Get("count"); ok && n.Kind == tree.Map {
		r.fault(pos(of.Place), "value", what+" counts a field", "write count without one: events are counted")
		return Aggregate{Into: into, Op: "count", Decimals: -1}
	}
	m := r.mapping(n, "aggregate", what)
	strange := false // a name that is told already
	for _, p := range m.Pairs {
		switch {
		case p.Name == "decimals":
			a.Decimals = int(r.whole(m, "decimals", what, 0))
			if a.Decimals > 30 {
				r.fault(pos(p.Value.Place), "value", what+" has more than 30 decimals", "write fewer")
			}
		case !slices.Contains(aggregates, p.Name):
			strange = true
		case a.Op != "":
			r.fault(pos(p.At), "value", fmt.Sprintf("%s is both %s and %s", what, a.Op, p.Name), "one aggregate a field")
		default:
			a.Op, a.Of = p.Name, r.pointer(m, p.Name, what)
		}
	}
	if a.Op == "" && n.Kind == tree.Map && !strange {
		r.fault(pos(n.Place), "missing-key", what+" names no aggregate", "write count, or one of sum, min, max and mean with the event's field")
	}
	if d, ok := m.Get("decimals"); ok && a.Op != "mean" && a.Op != "" {
		r.fault(pos(d.Place), "value", fmt.Sprintf("%s has decimals for a %s", what, a.Op), "decimals belong to mean; the others are exact")
	}
	return a
}

// kinds gives each flow the kind of its role: what the flow says, else what the role's name says, else what the flow's shape
// says. All flows of a role must come to the same kind.
func (r *reader) kinds(d *Document) {
	said := map[string]Kind{}
	for i := range d.Flows {
		f := &d.Flows[i]
		if f.Kind == "" {
			f.Kind = inferKind(d, f)
		}
		if f.Kind == "" {
			r.fault(f.Pos, "role-kind", fmt.Sprintf("flow %s: nothing says what the role %s does", f.Name, quoted(f.Role)), "write kind: recorder, summarizer or display")
			continue
		}
		if first, ok := said[f.Role]; ok && first != f.Kind {
			r.fault(f.Pos, "role-kind", fmt.Sprintf("flow %s makes the role %s a %s, another flow made it a %s", f.Name, quoted(f.Role), f.Kind, first), "give each role one kind, or split the role")
			continue
		}
		said[f.Role] = f.Kind
	}
}

func inferKind(d *Document, f *Flow) Kind {
	switch Kind(f.Role) {
	case Recorder, Summarizer, Display:
		return Kind(f.Role)
	}
	folds, views := false, false
	for _, other := range d.Flows {
		if other.Role == f.Role {
			if other.Kind != "" && other.Name != f.Name && (other.Fold == nil && other.View == "") {
				return other.Kind // the role's other flow says it
			}
			folds, views = folds || other.Fold != nil, views || other.View != ""
		}
	}
	switch {
	case folds:
		return Summarizer
	case views:
		return Display
	case f.Writes != "" && f.Reads == "":
		return Recorder
	}
	return ""
}
