package check

import (
	"slices"
	"strings"
	"time"

	"tahanuji/system/check/jsonscan"
	"tahanuji/system/contract"
)

// Topic is one topic of the document with its records at rest.
type Topic struct {
	Doc     *contract.Topic
	Payload *contract.Payload // nil if the document gives none
	// Records of the scan at rest, by partition and offset, each position once.
	Records []Record
	// Later are the records that scans after replays saw first, by scan.
	Later map[string][]Record
	// Scanned says which scans saw the topic.
	Scanned map[string]bool
	// Starts and Ends are each partition's first and last scanned offset plus one.
	Starts, Ends map[int32]int64
	// FromSource says that a recorder writes it: its records are the source's events.
	FromSource bool
	Sent       []*Sent // events that the source meant for it, in the order of their first send
	sentByID   map[string]*Sent
	byOffset   map[int32][]int32 // per partition the records' indexes in order of offset
	plan       *jsonscan.Plan
	schema     *jsonscan.Schema // nil where validity can't be proved quickly
	time       contract.Pointer // envelope's time
	views      []*view          // what folds read of the records
}

// Places of the plan that every topic has.
const (
	placeID = iota
	placeTime
	placeKey
	placeFirst // of the views
)

// view is what one fold reads of a topic's records: as events (its input) or as summaries (its output).
type view struct {
	fold    *Fold
	summary bool
	place   int // first place of the plan that is the view's
	stride  int // numbers per record
	table       // of the records at rest
}

// table holds a view's rows, one a record, and their numbers, stride a record.
type table struct {
	rows []row
	nums []num
}

// row is a record as a fold sees it. OK is false where it lacks what the fold needs.
type row struct {
	key   string // fields joined with ","
	id    string // events: what the dedupe goes by
	start int64  // window, Unix seconds
	time  int64  // events: event time, Unix nanoseconds
	ok    bool
}

// Fold is one summarizing flow with what it reads and writes.
type Fold struct {
	Flow  *contract.Flow
	Spec  *contract.Fold
	Write *contract.Flow // the flow that publishes the summaries
	In    *Topic
	Out   *Topic // nil if the document has no such topic
	// Count is the index in Spec.Into of the count, -1 if the document asks for none.
	Count int
	Cells []*Cell // by key and window

	of      []contract.Pointer // distinct fields that aggregates read
	keys    []contract.Pointer // of the event, in the order of the summary's key
	outKeys []contract.Pointer // of the summary, without the window
	dedupe  contract.Pointer
	data    contract.Pointer // envelope's data
	cells   map[cellKey]*Cell
	latest  map[string]int64 // per key the latest event time in the topic
	in, out *view
}

type cellKey struct {
	key   string
	start int64
}

// Topic of the document by name, nil if it has none.
func (ix *Index) Topic(name string) *Topic { return ix.topics[name] }

func (ix *Index) layTopics() {
	doc := ix.in.Doc
	ix.topics = make(map[string]*Topic, len(doc.Topics))
	for i := range doc.Topics {
		t := &Topic{Doc: &doc.Topics[i], Later: map[string][]Record{}, Scanned: map[string]bool{}, Starts: map[int32]int64{}, Ends: map[int32]int64{}, sentByID: map[string]*Sent{}}
		for _, p := range doc.Payloads {
			if p.Name == t.Doc.Payload && p.Name != "" {
				t.Payload = p
			}
		}
		ix.Topics = append(ix.Topics, t)
		ix.topics[t.Doc.Name] = t
	}
	for i := range doc.Flows {
		f := &doc.Flows[i]
		if t := ix.topics[f.Writes]; t != nil && f.Kind == contract.Recorder {
			t.FromSource = true
		}
		if f.Fold != nil && ix.topics[f.Reads] != nil {
			ix.layFold(f)
		}
	}
	for _, t := range ix.Topics {
		t.compile(doc)
	}
}

func (ix *Index) layFold(flow *contract.Flow) {
	doc := ix.in.Doc
	f := &Fold{
		Flow: flow, Spec: flow.Fold, In: ix.topics[flow.Reads], dedupe: doc.Envelope.ID, data: doc.Envelope.Data,
		Count: slices.IndexFunc(flow.Fold.Into, func(a contract.Aggregate) bool { return a.Op == "count" }),
		cells: map[cellKey]*Cell{}, latest: map[string]int64{},
	}
	if flow.Dedupe != nil {
		f.dedupe = flow.Dedupe.By
	}
	for i := range doc.Flows {
		w := &doc.Flows[i]
		if w.Role == flow.Role && w.Writes != "" && slices.Contains(w.OverwriteKey, flow.Fold.Window.Into) {
			f.Write, f.Out = w, ix.topics[w.Writes]
		}
	}
	for _, a := range flow.Fold.Into {
		if a.Op != "count" && !slices.Contains(f.of, a.Of) {
			f.of = append(f.of, a.Of)
		}
	}
	f.layKeys()
	f.in = &view{fold: f, stride: len(f.of)}
	f.In.views = append(f.In.views, f.in)
	if f.Out != nil {
		f.out = &view{fold: f, summary: true, stride: len(f.Spec.Into)}
		f.Out.views = append(f.Out.views, f.out)
	}
	ix.Folds = append(ix.Folds, f)
}

// layKeys pairs the fields of the summary's overwrite-key, without the window, with the fold's by-fields: by name where both have
// it, else in order.
func (f *Fold) layKeys() {
	left := slices.Clone(f.Spec.By)
	if f.Write == nil {
		f.keys = left
		return
	}
	for _, p := range f.Write.OverwriteKey {
		if p != f.Spec.Window.Into {
			f.outKeys = append(f.outKeys, p)
		}
	}
	f.keys = make([]contract.Pointer, len(f.outKeys))
	for i, p := range f.outKeys {
		if at := slices.Index(left, p); at >= 0 {
			f.keys[i], left = p, slices.Delete(left, at, at+1)
		}
	}
	for i := range f.keys {
		if f.keys[i] == "" && len(left) > 0 {
			f.keys[i], left = left[0], left[1:]
		}
	}
}

// compile lists the places that are read of the topic's records.
func (t *Topic) compile(doc *contract.Document) {
	places := []string{string(doc.Envelope.ID), string(doc.Envelope.Time), string(t.Doc.Key.From)}
	add := func(all ...contract.Pointer) {
		for _, p := range all {
			places = append(places, string(p))
		}
	}
	for _, v := range t.views {
		v.place = len(places)
		if v.summary {
			add(v.fold.outKeys...)
			add(v.fold.Spec.Window.Into)
			for _, a := range v.fold.Spec.Into {
				add(a.Into)
			}
			continue
		}
		add(v.fold.keys...)
		add(v.fold.dedupe, v.fold.Spec.Window.Of)
		add(v.fold.of...)
	}
	t.plan, t.time = jsonscan.Compile(places...), doc.Envelope.Time
	if t.Payload != nil {
		t.schema = jsonscan.CompileSchema(t.Payload.Schema)
	}
}

// Name of the summary's window as labels and sentences give it.
func (f *Fold) Name(start int64) string { return f.Spec.Window.Label(time.Unix(start, 0)) }

// Below is a field of the summary as its data names it: without the envelope's pointer to the data.
func (f *Fold) Below(p contract.Pointer) contract.Pointer {
	if rest, ok := strings.CutPrefix(string(p), string(f.data)+"/"); ok {
		return contract.Pointer("/" + rest)
	}
	return p
}

// Written is the name of the first flow with an idempotent producer that writes the topic, "" if there is none: several flows may
// share a topic, which is then judged once.
func (t *Topic) Written(doc *contract.Document) string {
	for _, f := range doc.Flows {
		if f.Writes == t.Doc.Name && f.Producer != nil && f.Producer.Idempotent {
			return f.Name
		}
	}
	return ""
}

// Compacted says that the document has the topic compacted: records may then be missing between others.
func (t *Topic) Compacted() bool {
	return strings.Contains(t.Doc.Config["cleanup.policy"], "compact")
}
