package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"tahanuji/system/history"
)

// drawn is a mark before it has a lane; the lower its weight, the sooner it is drawn.
type drawn struct {
	mark   Mark
	lane   string
	rank   Rank
	weight int
}

// Weights of marks. What weighs quiet is never drawn one by one.
const (
	ofTrace = iota
	ofFault
	ofFlow
	ofScan
	quiet
)

func (t *teller) picture() {
	p := &t.out.Picture
	h := t.story.History
	var all []drawn
	for i := range h.Events {
		e := &h.Events[i]
		p.To = max(p.To, e.At)
		switch e.Op {
		case history.OpPhase:
			t.phase(e)
		case history.OpFault:
			t.band(e)
		case history.OpLag:
			t.lag(e)
		default:
			all = append(all, t.markOf(e))
		}
	}
	for i := range h.Ledger {
		p.To = max(p.To, h.Ledger[i].At)
		all = append(all, t.markOfExchange(&h.Ledger[i]))
	}
	for i := range p.Bands {
		if p.Bands[i].To < p.Bands[i].From {
			p.Bands[i].To = p.To
		}
	}
	if n := len(p.Phases); n > 0 {
		p.Phases[n-1].To = p.To
	}
	for i := range p.Lag {
		p.Lag[i].Points = thinned(p.Lag[i].Points, maxPoints)
	}
	p.Bands, p.Phases, p.Arrows = orEmpty(p.Bands), orEmpty(p.Phases), orEmpty(p.Arrows)
	t.fill(all)
}

func (t *teller) phase(e *history.Event) {
	p := &t.out.Picture
	if n := len(p.Phases); n > 0 {
		p.Phases[n-1].To = e.At
	}
	p.Phases = append(p.Phases, Band{From: e.At, To: e.At, Name: e.Key})
}

// band opens at a fault's Invoke and closes at the answer to it; one that never closes lasts to the end.
func (t *teller) band(e *history.Event) {
	p := &t.out.Picture
	if e.Phase == history.Invoke {
		p.Bands = append(p.Bands, Band{From: e.At, To: -1, Name: e.Key})
		return
	}
	for i := range p.Bands {
		if p.Bands[i].Name == e.Key && p.Bands[i].To < 0 {
			p.Bands[i].To = e.At
			return
		}
	}
}

func (t *teller) lag(e *history.Event) {
	n, err := strconv.ParseInt(e.Value, 10, 64)
	if err != nil || e.Where != nil {
		return
	}
	p := &t.out.Picture
	at := slices.IndexFunc(p.Lag, func(s Series) bool { return s.Name == e.Proc })
	if at < 0 {
		p.Lag = append(p.Lag, Series{Name: e.Proc})
		at = len(p.Lag) - 1
	}
	p.Lag[at].Points = append(p.Lag[at].Points, Point{At: e.At, Value: n})
}

func (t *teller) markOf(e *history.Event) drawn {
	d := drawn{weight: ofFlow}
	d.lane, d.rank = t.laneOf(e)
	what, _ := words(e)
	d.mark = Mark{At: e.At, Title: what, Step: t.steps[e.Seq]}
	switch e.Phase {
	case history.Invoke:
		d.mark.Kind = Asked
	case history.OK:
		d.mark.Kind = Done
	case history.Fail:
		d.mark.Kind = Refused
	case history.Unknown:
		d.mark.Kind = Open
	}
	switch {
	case e.Op == history.OpRole:
		d.mark.Kind, d.weight = Life, ofFault
	case e.Tag != "" && e.Op != history.OpSend:
		d.weight = ofScan
	}
	return t.raised(d)
}

func (t *teller) markOfExchange(x *history.Exchange) drawn {
	d := drawn{weight: ofFlow}
	d.lane, d.rank = t.laneOfExchange(x)
	what, _ := exchangeWords(x)
	d.mark = Mark{At: x.At, Title: what, Step: t.steps[x.Seq], Kind: Done}
	carries := x.API == "Produce" || x.API == "OffsetCommit" || x.API == "JoinGroup" || x.API == "Fetch" && len(labelsOf(x)) > 0
	switch {
	case x.Fault != "":
		d.mark.Kind, d.weight = Hurt, ofFault
	case !carries:
		d.weight = quiet
	case x.Told == history.Unknown:
		d.mark.Kind = Open
	case codeWords(x) != "":
		d.mark.Kind = Refused
	}
	return t.raised(d)
}

func (t *teller) raised(d drawn) drawn {
	if d.mark.Step > 0 {
		d.weight = ofTrace
		d.mark.Bad = t.out.Rows[d.mark.Step-1].Bad
	}
	return d
}

// fill gives each mark its lane: at most MaxMarks one by one, the rest as density.
func (t *teller) fill(all []drawn) {
	p := &t.out.Picture
	p.All = len(all)
	slices.SortStableFunc(all, func(a, b drawn) int { return cmp.Compare(a.weight, b.weight) })
	lanes := map[string]*Lane{}
	for i := range all {
		d := &all[i]
		if lanes[d.lane] == nil && len(lanes) >= maxLanes-1 && d.weight > ofTrace {
			d.lane, d.rank = "the rest", Elsewhere
		}
		l := lanes[d.lane]
		if l == nil {
			l = &Lane{Name: d.lane, Rank: d.rank, Marks: []Mark{}}
			lanes[d.lane] = l
		}
		if i < MaxMarks && d.weight < quiet {
			l.Marks = append(l.Marks, d.mark)
			p.Marks++
			continue
		}
		if l.Density == nil {
			l.Density = make([]int, Buckets)
		}
		l.Density[bucket(d.mark.At, p.To)]++
	}
	for _, l := range lanes {
		slices.SortStableFunc(l.Marks, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
		p.Lanes = append(p.Lanes, *l)
	}
	slices.SortFunc(p.Lanes, func(a, b Lane) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Name, b.Name)) })
	p.Lanes = orEmpty(p.Lanes)
}

func bucket(at, to time.Duration) int {
	if to <= 0 {
		return 0
	}
	return min(Buckets-1, int(at*Buckets/to))
}

// thinned keeps the highest of each stretch, so that a peak stays in the plot.
func thinned(points []Point, most int) []Point {
	if len(points) <= most {
		return points
	}
	var out []Point
	step := (len(points) + most - 1) / most
	for part := range slices.Chunk(points, step) {
		out = append(out, slices.MaxFunc(part, func(a, b Point) int { return cmp.Compare(a.Value, b.Value) }))
	}
	return out
}
