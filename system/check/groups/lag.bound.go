package groups

import (
	"fmt"
	"strconv"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Bound: outside faults (samples "load") a group is at most Max records behind, where the document says how many; and once Within has
// passed after healing it is so again. Without a Max it must then have caught up. Samples before that show nothing.
var Bound = check.One("lag.bound", "Both groups' lag stays under the bound outside faults, and returns under it in time after them.", func(in *check.Input, t *check.Tally) check.Verdict {
	ix := in.Index()
	healed, wasHealed := ix.HealedAt()
	for i := range in.Doc.Groups {
		g := &in.Doc.Groups[i]
		if g.Lag == nil {
			continue
		}
		behind := false // a time of being too far behind is one finding
		for _, e := range ix.Lags {
			lag, err := strconv.ParseInt(e.Value, 10, 64)
			if e.Proc != g.Name || err != nil || !judged(g.Lag, e, healed, wasHealed) {
				continue
			}
			t.Look(1)
			over := lag > g.Lag.Max
			if over && !behind {
				t.Find(func() check.Finding { return late(g, e, lag, healed) })
			}
			behind = over
		}
	}
	return t.Verdict(fmt.Sprintf("each of %s is under its group's bound", check.Plural(t.Examined(), "sample")), "no lag was sampled outside faults, or after their time to heal")
})

func judged(lag *contract.Lag, e *history.Event, healed time.Duration, wasHealed bool) bool {
	switch e.Tag {
	case "load":
		return lag.Max > 0
	case "healed":
		return wasHealed && e.At >= healed+lag.Within
	}
	return false
}

func late(g *contract.Group, e *history.Event, lag int64, healed time.Duration) check.Finding {
	where := ""
	if e.Where != nil {
		where = fmt.Sprintf(" of %s/%d", e.Where.Topic, e.Where.Partition)
	}
	when := "outside faults"
	if e.Tag == "healed" {
		when = fmt.Sprintf("%s after healing", (e.At - healed).Round(time.Second))
	}
	return check.Finding{
		Text:    fmt.Sprintf("%s is %s%s behind %s, and the document allows %d", g.Name, check.Plural(int(lag), "record"), where, when, g.Lag.Max),
		Witness: []history.Seq{e.Seq},
	}
}
