package format

import (
	"fmt"
	"slices"

	"tahanuji/reports"
)

// sweepView is the matrix of a sweep arranged for the page: a group of rows for each role.
type sweepView struct {
	*reports.Sweep
	Legend     []legendLine
	Groups     []sweepGroup
	Impossible []sweepReason // each reason once
	Wanting    []sweepTile   // never reached, cut short or not run
	Broke      []sweepTile
	PairTiles  []sweepTile
}

type sweepGroup struct {
	Role string
	Rows []sweepRow
}

type sweepRow struct {
	API, When string
	Tiles     []sweepTile // one a column; the zero value where the sitting did not ask for it
}

type sweepTile struct {
	reports.SweepSquare
	Shown string // the symbol, which is that of a clause's outcome
	Label string // the whole square in words
	Link  string // to the run
}

type sweepReason struct {
	Why   string
	Count int
}

// sweptAs are the symbols of the squares' outcomes.
var sweptAs = map[reports.SweepOutcome]string{
	reports.SweptHeld: "holds", reports.SweptBroke: "broken", reports.SweptHollow: "inconclusive", reports.SweptCut: "inconclusive",
	reports.SweptNotRun: "not-run", reports.SweptImpossible: "not-applicable",
}

func newSweepView(s *reports.Sweep) *sweepView {
	if s == nil {
		return nil
	}
	v := &sweepView{Sweep: s}
	for _, o := range []struct {
		outcome reports.SweepOutcome
		means   string
	}{
		{reports.SweptHeld, "the fault acted, and nothing broke"},
		{reports.SweptBroke, "the fault acted, and a clause broke"},
		{reports.SweptHollow, "the fault never acted: nothing is known"},
		{reports.SweptCut, "the run did not come to its end"},
		{reports.SweptNotRun, "asked for, and no run came of it"},
		{reports.SweptImpossible, "the protocol does not allow it"},
	} {
		if n := s.Count(o.outcome); n > 0 {
			v.Legend = append(v.Legend, legendLine{Outcome: string(o.outcome), Means: o.means, Count: n})
		}
	}
	for _, q := range s.Squares {
		v.place(q)
	}
	for _, q := range s.Pairs {
		v.PairTiles = append(v.PairTiles, tileOf(q))
	}
	return v
}

// place puts a square into its row, and into the lists below the matrix.
func (v *sweepView) place(q reports.SweepSquare) {
	at := slices.IndexFunc(v.Groups, func(g sweepGroup) bool { return g.Role == q.Role })
	if at < 0 {
		v.Groups = append(v.Groups, sweepGroup{Role: q.Role})
		at = len(v.Groups) - 1
	}
	g := &v.Groups[at]
	row := slices.IndexFunc(g.Rows, func(r sweepRow) bool { return r.API == q.API && r.When == q.When })
	if row < 0 {
		g.Rows = append(g.Rows, sweepRow{API: q.API, When: q.When, Tiles: make([]sweepTile, len(v.Actions))})
		row = len(g.Rows) - 1
	}
	tile := tileOf(q)
	if i := slices.Index(v.Actions, q.Action); i >= 0 {
		g.Rows[row].Tiles[i] = tile
	}
	switch q.Outcome {
	case reports.SweptBroke:
		v.Broke = append(v.Broke, tile)
	case reports.SweptHollow, reports.SweptCut, reports.SweptNotRun:
		v.Wanting = append(v.Wanting, tile)
	case reports.SweptImpossible:
		if i := slices.IndexFunc(v.Impossible, func(r sweepReason) bool { return r.Why == q.Why }); i >= 0 {
			v.Impossible[i].Count++
		} else {
			v.Impossible = append(v.Impossible, sweepReason{q.Why, 1})
		}
	case reports.SweptHeld:
	}
}

func tileOf(q reports.SweepSquare) sweepTile {
	t := sweepTile{SweepSquare: q, Shown: sweptAs[q.Outcome]}
	if q.Cell != "" && q.Outcome != reports.SweptNotRun {
		t.Link = "#" + slug("cell "+q.Cell)
	}
	if q.API == "" {
		t.Label = fmt.Sprintf("%s: %s", q.Cell, word(q.Outcome))
	} else {
		t.Label = fmt.Sprintf("%s of %s, %s, %s: %s", q.API, q.Role, q.When, q.Action, word(q.Outcome))
	}
	if q.Why != "" {
		t.Label += ": " + q.Why
	}
	return t
}
