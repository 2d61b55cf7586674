package groups

import (
	"fmt"
	"strconv"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Bound: outside faults (samples "load") a group is at most Max records behind, where the document says how many. After healing it is
// so again before Within has passed, and stays so; without a Max it must then have caught up. A run that ends before that time
// without a sample under the bound shows nothing, and neither does lag that the harness made by setting offsets back.
var Bound = check.One("lag.bound", "Both groups' lag stays under the bound outside faults, and returns under it in time after them.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		healed, wasHealed := ix.HealedAt()
		for i := range in.Doc.Groups {
			g := &in.Doc.Groups[i]
			if g.Lag == nil {
				continue
			}
			b := bound{tally: t, group: g, healed: healed}
			for _, e := range ix.Lags {
				lag, err := strconv.ParseInt(e.Value, 10, 64)
				if e.Proc == g.Name && err == nil && !ix.OffsetsSet(e.At) && (e.Tag == "load" && g.Lag.Max > 0 || e.Tag == "healed" && wasHealed) {
					b.sample(e, lag)
				}
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s is under its group's bound", check.Plural(t.Examined(), "sample")), "no lag was sampled outside faults, or none under the bound in a run that ended before the time to heal")
	})

// bound follows one group's samples in time.
type bound struct {
	tally  *check.Tally
	group  *contract.Group
	healed time.Duration
	behind bool // since the last sample under the bound: a time of being too far behind is one finding
}

func (b *bound) sample(e *history.Event, lag int64) {
	over := lag > b.group.Lag.Max
	if e.Tag == "healed" && over && e.At < b.healed+b.group.Lag.Within {
		return // it still has time
	}
	b.tally.Look(1)
	if over && !b.behind {
		b.tally.Find(func() check.Finding { return late(b.group, e, lag, b.healed) })
	}
	b.behind = over
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
