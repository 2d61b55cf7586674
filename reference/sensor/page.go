package sensor

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
)

//go:embed page.html
var pageText string

// table is what the page shows.
type table struct {
	Topic string
	Key   []string // headings of the key, without the window
	When  string   // heading of the window
	Value []string // headings of the summary's fields
	Of    string   // the one whose windows are shown; "" shows each with its last window
	Lines []line
	Rows  int
}

// line is one row of the page.
type line struct {
	Name  string // the key without the window, as one text
	Key   []string
	When  string
	Value []string
	Came  time.Time
}

// Handler serves the table as a page ("/", "/?of=NAME" for all windows of one), and as JSON ("/rows": {"rows": [data of
// each summary]}). It reads only.
func (d *Display) Handler() http.Handler {
	page := template.Must(template.New("page").Parse(pageText))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rows", func(w http.ResponseWriter, _ *http.Request) {
		values := []json.RawMessage{}
		for _, r := range d.Rows() {
			values = append(values, r.Value)
		}
		w.Header().Set("Content-Type", "application/json")
		// An error here is a reader that went away.
		_ = json.NewEncoder(w).Encode(map[string]any{"rows": values})
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_ = page.Execute(w, d.table(r.URL.Query().Get("of")))
	})
	return mux
}

func (d *Display) table(of string) table {
	window := d.windowAt()
	t := table{Topic: d.c.Summaries.Name, Of: of}
	for i, p := range d.c.OverwriteKey {
		if i == window {
			t.When = heading(p)
		} else {
			t.Key = append(t.Key, heading(p))
		}
	}
	for _, a := range d.c.Fold.Into {
		t.Value = append(t.Value, heading(a.Into))
	}
	var all []line
	for _, r := range d.Rows() {
		all = append(all, d.line(r, window))
	}
	t.Rows = len(all)
	slices.SortStableFunc(all, func(a, b line) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(b.When, a.When)) // newest first
	})
	last := "\x00"
	for _, l := range all {
		if of != "" && l.Name == of || of == "" && l.Name != last {
			t.Lines = append(t.Lines, l)
		}
		last = l.Name
	}
	return t
}

func (d *Display) line(r Row, window int) line {
	l := line{Came: r.Came}
	for i, k := range r.Key {
		if i == window {
			l.When = k
		} else {
			l.Key = append(l.Key, k)
		}
	}
	l.Name = strings.Join(l.Key, ", ")
	for _, a := range d.c.Fold.Into {
		v := gjson.Result{}
		if rest, ok := strings.CutPrefix(string(a.Into), string(d.c.Envelope.Data)); ok {
			if p, err := payload.Compile(payload.Pointer(rest)); err == nil {
				v = p.Get(r.Value)
			}
		}
		l.Value = append(l.Value, payload.Text(v))
	}
	return l
}

// windowAt is the place of the window among the fields of overwrite-key.
func (d *Display) windowAt() int {
	for i, p := range d.c.OverwriteKey {
		if p == d.c.Fold.Window.Into {
			return i
		}
	}
	return -1
}

// heading is the last token of a pointer, as people read it.
func heading(p payload.Pointer) string {
	tokens := p.Tokens()
	if len(tokens) == 0 {
		return ""
	}
	return strings.ReplaceAll(tokens[len(tokens)-1], "_", " ")
}
