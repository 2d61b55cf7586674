package summary

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"tahanuji/system/check"
	"tahanuji/system/check/decimal"
	"tahanuji/system/check/jsonscan"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// LastValue: for each key that was published a display shows one row, with the values of the last record, and it shows no other
// key. A whole scan (one that saw the partitions' ends) asks every display and writes down when one gives no answer, so a scan without
// either is one of a display that shows nothing. An OpRow without a key says so as well.
var LastValue = check.One("display.last-value", "What is shown is the last published value under each key.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		judgeable := false
		for _, flow := range ix.Flows(func(f *contract.Flow) bool { return f.Kind == contract.Display && f.View == "last-by-key" }) {
			fold := writer(ix, flow.Reads)
			if fold == nil {
				continue
			}
			judgeable = true
			for _, scan := range ix.Scans() {
				d := shownBy(ix, flow, fold, scan)
				if d.asked {
					d.judge(t)
				}
			}
		}
		if !judgeable {
			return t.NotApplicable("no display of the document shows the summaries of a fold")
		}
		return t.Verdict(fmt.Sprintf("each of %s shows the last published value", check.Plural(t.Examined(), "row")), "no display was asked what it shows, or nothing was published")
	})

func writer(ix *check.Index, topic string) *check.Fold {
	for _, f := range ix.Folds {
		if f.Out != nil && f.Out.Doc.Name == topic {
			return f
		}
	}
	return nil
}

// display is what one role showed in one scan.
type display struct {
	role, scan string
	fold       *check.Fold
	asked      bool
	rows       map[*check.Cell][]*history.Event
	strange    []*history.Event // rows under a key that was never published, or that can't be read
	marker     history.Seq
}

func shownBy(ix *check.Index, flow *contract.Flow, fold *check.Fold, scan string) display {
	d := display{role: flow.Role, scan: scan, fold: fold, rows: map[*check.Cell][]*history.Event{}}
	d.asked = ix.Ended[scan] != nil
	for _, e := range ix.Silent {
		if e.Tag == scan && check.RoleOf(e.Proc) == flow.Role {
			d.asked = false // what it shows besides is shown in part
			return d
		}
	}
	for _, e := range ix.Rows {
		if e.Tag != scan || check.RoleOf(e.Proc) != flow.Role {
			continue
		}
		d.asked = true
		if e.Key == "" {
			d.marker = e.Seq
			continue
		}
		c := cellOf(fold, e.Key)
		if c == nil {
			d.strange = append(d.strange, e)
			continue
		}
		if _, published := upTo(c, scan); !published {
			d.strange = append(d.strange, e)
			continue
		}
		d.rows[c] = append(d.rows[c], e)
	}
	return d
}

// cellOf reads a row's key: the fields of the overwrite key in its order, as texts or numbers.
func cellOf(f *check.Fold, key string) *check.Cell {
	var fields []json.RawMessage
	if json.Unmarshal([]byte(key), &fields) != nil || len(fields) != len(f.Write.OverwriteKey) {
		return nil
	}
	joined, start := "", int64(0)
	for i, p := range f.Write.OverwriteKey {
		text := string(fields[i])
		var unquoted string
		if json.Unmarshal(fields[i], &unquoted) == nil {
			text = unquoted
		}
		if p == f.Spec.Window.Into {
			at, err := f.Spec.Window.Parse(fields[i])
			if err != nil {
				at, err = f.Spec.Window.Parse([]byte(text)) // a number that is shown as text
			}
			if err != nil {
				return nil
			}
			start = at.Unix()
			continue
		}
		if joined != "" {
			joined += ","
		}
		joined += text
	}
	return f.Cell(joined, start)
}

func (d *display) judge(t *check.Tally) {
	for _, c := range d.fold.Cells {
		last, published := upTo(c, d.scan)
		if !published {
			continue
		}
		t.Look(1)
		rows := d.rows[c]
		switch {
		case len(rows) == 0:
			t.Find(func() check.Finding {
				return d.finding(c, last, nil, fmt.Sprintf("%s does not show %s, published at %s", d.role, c.Name(), last.Record.Place()))
			})
		case len(rows) > 1:
			t.Find(func() check.Finding {
				return d.finding(c, last, rows, fmt.Sprintf("%s shows %s %d times", d.role, c.Name(), len(rows)))
			})
		default:
			if text := d.differs(c, last, rows[0]); text != "" {
				t.Find(func() check.Finding { return d.finding(c, last, rows, text) })
			}
		}
	}
	for _, e := range d.strange {
		t.Look(1)
		t.Find(func() check.Finding {
			return check.Finding{Text: fmt.Sprintf("%s shows a row %s that was never published", d.role, e.Key), Witness: []history.Seq{e.Seq}}
		})
	}
}

func (d *display) finding(c *check.Cell, last check.Summary, rows []*history.Event, text string) check.Finding {
	f := check.Finding{Text: text, Witness: []history.Seq{last.Record.Event.Seq, d.marker}, Labels: []string{c.Label()}}
	for _, e := range rows {
		f.Witness = append(f.Witness, e.Seq)
	}
	return f
}

// differs says in which fields a row is not the last summary, and whether it is an earlier one.
func (d *display) differs(c *check.Cell, last check.Summary, row *history.Event) string {
	fields, ok := rowFields(d.fold, row.Value)
	if !ok {
		return fmt.Sprintf("%s shows %s as %.80q, which is no JSON object", d.role, c.Name(), row.Value)
	}
	if same(last, fields) {
		return ""
	}
	parts := ""
	for i, a := range d.fold.Spec.Into {
		if last.Has[i] && (!fields[i].ok || !fields[i].Equal(last.Values[i])) {
			parts += fmt.Sprintf(", %s %s instead of %s", a.Into, fields[i], last.Values[i])
		}
	}
	text := fmt.Sprintf("%s shows %s with%s, published at %s", d.role, c.Name(), parts[1:], last.Record.Place())
	for _, s := range slices.Backward(c.Published) {
		if same(s, fields) {
			return text + ", and what it shows was published at " + s.Record.Place()
		}
	}
	return text
}

type field struct {
	decimal.Num
	ok bool
}

// String is the number, "nothing" where there is none.
func (f field) String() string {
	if !f.ok {
		return "nothing"
	}
	return f.Num.String()
}

func same(s check.Summary, fields []field) bool {
	for i := range fields {
		if s.Has[i] && (!fields[i].ok || !fields[i].Equal(s.Values[i])) {
			return false
		}
	}
	return true
}

// rowFields reads a row's value: an object from the fold's pointers to values, the record's data, or the whole record.
func rowFields(f *check.Fold, value string) ([]field, bool) {
	into := f.Spec.Into
	fields := make([]field, len(into))
	var byName map[string]json.RawMessage
	if json.Unmarshal([]byte(value), &byName) != nil || byName == nil {
		return fields, false
	}
	places := make([]string, 0, 2*len(into))
	for _, a := range into {
		places = append(places, string(a.Into))
	}
	for _, a := range into {
		places = append(places, string(f.Below(a.Into)))
	}
	out := make([]jsonscan.Value, len(places))
	if jsonscan.Compile(places...).Scan(value, out) != nil {
		return fields, false
	}
	for i, a := range into {
		text := ""
		switch raw, flat := byName[string(a.Into)]; {
		case flat:
			text = string(raw)
		case out[i].Kind != jsonscan.Missing:
			text = out[i].Raw
		default:
			text = out[len(into)+i].Raw
		}
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		fields[i].Num, fields[i].ok = decimal.Parse(text)
	}
	return fields, true
}
