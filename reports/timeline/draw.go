package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Drawing is a picture with places, in SVG user units, ready for a template.
type Drawing struct {
	Width, Height int
	Left, Right   float64 // of the time axis
	Top, Bottom   float64 // of the lanes
	Lanes         []DrawnLane
	Bands         []DrawnBand
	Phases        []DrawnBand
	Ticks         []Tick
	Marks         []DrawnMark // small ones, then the trace's
	Strips        []Strip
	Arrows        []string // path data
	Lag           []DrawnSeries
	LagTop        float64
	LagMost       int64
	Summary       string // one sentence for a reader who can't see it
}

// DrawnLane is a lane's label and line.
type DrawnLane struct {
	Name   string
	Y, Row float64 // Y of the middle, Row of the upper edge
	Shade  bool
}

// DrawnBand is a stretch of time with its label.
type DrawnBand struct {
	X, W, LabelY float64
	LabelX       float64
	Name         string
	End          bool // the label ends at LabelX instead of beginning there
}

// Tick is a labelled time.
type Tick struct {
	X    float64
	Text string
}

// DrawnMark is a mark with its place.
type DrawnMark struct {
	Mark
	X, Y float64
	End  bool // the label of a bad one stands left of it
}

// Strip is one piece of a lane's density; Level goes from 1 to 4.
type Strip struct {
	X, Y, W, H float64
	Level      int
	Count      int
}

// DrawnSeries is a line of the lag plot.
type DrawnSeries struct {
	Name   string
	Points string
	KeyY   float64 // of its line in the key
	Index  int     // of its style, 0 to 2
}

// Measures of a drawing, in user units.
const (
	width     = 1120
	gutter    = 172.0
	rightEdge = width - 22.0
	laneHigh  = 34.0
	bandRow   = 15.0
	lagHigh   = 64.0
	stepRoom  = 19.0 // between the numbered marks of one lane
	tickRoom  = 62.0
)

// Draw places a picture's parts. The time axis is stretched where the trace is: half of it is even time, half goes in equal
// parts to the gaps between the trace's steps, so that steps a millisecond apart can be told apart in a run of seconds.
func Draw(t Trace) Drawing {
	p := t.Picture
	d := Drawing{Width: width, Left: gutter, Right: rightEdge}
	axis := newAxis(p, t.Rows)
	d.bands(p, axis)
	for i, l := range p.Lanes {
		row := d.Top + float64(i)*laneHigh
		d.Lanes = append(d.Lanes, DrawnLane{Name: l.Name, Row: row, Y: row + laneHigh/2, Shade: i%2 == 0})
		d.strip(l, row, p.To, axis)
	}
	d.Bottom = d.Top + float64(len(p.Lanes))*laneHigh
	d.marks(p, axis)
	d.arrows(p)
	d.ticks(p, axis)
	bottom := d.Bottom + 30
	if len(p.Lag) > 0 {
		d.LagTop = bottom + 12
		d.lag(p, axis)
		bottom = d.LagTop + lagHigh + 14
	}
	d.Height = int(bottom)
	d.Summary = fmt.Sprintf("%d events in %d lanes over %s, with %d steps of the trace numbered; the table below tells the same steps.",
		p.All, len(p.Lanes), Clock(p.To), len(t.Rows))
	return d
}

// axis maps time to x.
type axis struct {
	to    time.Duration
	steps []time.Duration // of the trace, distinct, with both ends
}

func newAxis(p Picture, rows []Row) axis {
	a := axis{to: max(p.To, 1), steps: []time.Duration{0, max(p.To, 1)}}
	for _, r := range rows {
		a.steps = append(a.steps, min(r.At, a.to))
	}
	slices.Sort(a.steps)
	a.steps = slices.Compact(a.steps)
	return a
}

func (a axis) x(t time.Duration) float64 {
	t = min(max(t, 0), a.to)
	even := float64(t) / float64(a.to)
	at, exact := slices.BinarySearch(a.steps, t)
	stretched := float64(at)
	if !exact {
		lo, hi := a.steps[at-1], a.steps[at]
		stretched = float64(at-1) + float64(t-lo)/float64(hi-lo)
	}
	stretched /= float64(len(a.steps) - 1)
	return gutter + (rightEdge-gutter)*(even+stretched)/2
}

func (d *Drawing) bands(p Picture, a axis) {
	const rows = 3
	var ends [rows]float64
	d.Top = 12
	first := 12.0
	if len(p.Phases) > 0 {
		first += bandRow // the phases' names stand above
		d.Top = 18
	}
	for _, b := range p.Bands {
		x := a.x(b.From)
		w := max(3, a.x(b.To)-x)
		long := float64(len([]rune(b.Name)))*6.4 + 10
		at := 0
		for i := range ends {
			if ends[i] <= x {
				at = i
				break
			}
		}
		band := DrawnBand{X: x, W: w, LabelX: x, LabelY: first + float64(at)*bandRow, Name: b.Name}
		if x+long > width {
			band.LabelX, band.End = x+w, true
		}
		ends[at] = x + long
		d.Top = max(d.Top, band.LabelY+9)
		d.Bands = append(d.Bands, band)
	}
	d.phases(p, a)
}

// phases are lines with names. Where names would overlap, the longest phase keeps its name.
func (d *Drawing) phases(p Picture, a axis) {
	for _, ph := range p.Phases {
		x := a.x(ph.From)
		d.Phases = append(d.Phases, DrawnBand{X: x, W: a.x(ph.To) - x, LabelX: x})
	}
	order := make([]int, len(p.Phases))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(d.Phases[y].W, d.Phases[x].W) })
	var taken [][2]float64
	for _, i := range order {
		b, long := &d.Phases[i], float64(len([]rune(p.Phases[i].Name)))*6.2+10
		from, to := b.X, b.X+long
		if b.End = to > width; b.End {
			from, to = b.X-long, b.X
		}
		if !slices.ContainsFunc(taken, func(t [2]float64) bool { return from < t[1] && t[0] < to }) {
			b.Name = p.Phases[i].Name
			taken = append(taken, [2]float64{from, to})
		}
	}
}

// strip draws what is not marked one by one, darker where there is more.
func (d *Drawing) strip(l Lane, row float64, to time.Duration, a axis) {
	if len(l.Density) == 0 {
		return
	}
	most := slices.Max(l.Density)
	for i, n := range l.Density {
		if n == 0 {
			continue
		}
		x0, x1 := a.x(to*time.Duration(i)/Buckets), a.x(to*time.Duration(i+1)/Buckets)
		d.Strips = append(d.Strips, Strip{X: x0, W: max(1, x1-x0), Y: row + laneHigh - 6, H: 4, Level: 1 + 3*n/max(most, 1), Count: n})
	}
}

func (d *Drawing) marks(p Picture, a axis) {
	var small, trace []DrawnMark
	for i, l := range p.Lanes {
		for _, m := range l.Marks {
			dm := DrawnMark{Mark: m, X: a.x(m.At), Y: d.Lanes[i].Y}
			if m.Step == 0 {
				small = append(small, dm)
				continue
			}
			trace = append(trace, dm)
		}
	}
	slices.SortStableFunc(trace, func(x, y DrawnMark) int { return cmp.Compare(x.Step, y.Step) })
	last := map[float64]float64{} // lane -> x of its latest step
	for i := range trace {
		m := &trace[i]
		if was, ok := last[m.Y]; ok && m.X < was+stepRoom {
			m.X = was + stepRoom
		}
		last[m.Y] = m.X
		m.End = m.X > rightEdge-130
	}
	d.Marks = append(small, trace...)
}

// arrows lead along the steps of one event.
func (d *Drawing) arrows(p Picture) {
	at := map[int]DrawnMark{}
	for _, m := range d.Marks {
		if m.Step > 0 {
			at[m.Step] = m
		}
	}
	const radius = 9.5
	for _, arrow := range p.Arrows {
		from, ok := at[arrow.From]
		to, has := at[arrow.To]
		if !ok || !has {
			continue
		}
		if from.Y == to.Y {
			d.Arrows = append(d.Arrows, fmt.Sprintf("M%.1f %.1f L%.1f %.1f", from.X+radius, from.Y, to.X-radius-2, to.Y))
			continue
		}
		down := radius
		if to.Y < from.Y {
			down = -radius
		}
		mid := (from.Y + to.Y) / 2
		d.Arrows = append(d.Arrows, fmt.Sprintf("M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f",
			from.X, from.Y+down, from.X, mid, to.X, mid, to.X, to.Y-down-copySign(2, down)))
	}
}

func copySign(n, sign float64) float64 {
	if sign < 0 {
		return -n
	}
	return n
}

// ticks are at round times, left out where the axis is too dense for their text.
func (d *Drawing) ticks(p Picture, a axis) {
	step := time.Millisecond
	for _, s := range []time.Duration{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 600000, 3600000, 21600000, 86400000} {
		step = s * time.Millisecond
		if p.To/step <= 14 {
			break
		}
	}
	last := -tickRoom
	for t := time.Duration(0); t <= p.To; t += step {
		x := a.x(t)
		if x-last < tickRoom {
			continue
		}
		d.Ticks = append(d.Ticks, Tick{X: x, Text: Clock(t)})
		last = x
		if len(d.Ticks) > 40 {
			return
		}
	}
}

func (d *Drawing) lag(p Picture, a axis) {
	for _, s := range p.Lag {
		for _, pt := range s.Points {
			d.LagMost = max(d.LagMost, pt.Value)
		}
	}
	for i, s := range p.Lag {
		var b strings.Builder
		ds := DrawnSeries{Name: s.Name, Index: i % 3, KeyY: d.LagTop + 28 + 16*float64(i)}
		for _, pt := range s.Points {
			y := d.LagTop + lagHigh*(1-float64(pt.Value)/float64(max(d.LagMost, 1)))
			fmt.Fprintf(&b, "%.1f,%.1f ", a.x(pt.At), y)
		}
		ds.Points = strings.TrimSpace(b.String())
		d.Lag = append(d.Lag, ds)
	}
}

// Clock writes a time since the run's start for people: 12 ms, 1.204 s, 3 m 20 s, 2 d 4 h.
func Clock(t time.Duration) string {
	switch {
	case t < time.Millisecond && t > 0:
		return fmt.Sprintf("%.2f ms", float64(t)/float64(time.Millisecond))
	case t < time.Second:
		return fmt.Sprintf("%d ms", t.Milliseconds())
	case t < time.Minute:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", t.Seconds()), "0"), ".") + " s"
	case t < time.Hour:
		return fmt.Sprintf("%d m %d s", int(t.Minutes()), int(t.Seconds())%60)
	case t < 48*time.Hour:
		return fmt.Sprintf("%d h %d m", int(t.Hours()), int(t.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(t.Hours())/24, int(t.Hours())%24)
}
