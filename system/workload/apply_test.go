package workload_test

import (
	"reflect"
	"slices"
	"testing"

	"tahanuji/system/target"
	"tahanuji/system/workload"
)

func step(do target.Verb, label string, count int) target.Step {
	return target.Step{Name: string(do), Fault: "x", At: target.Moment{After: label}, Do: target.Action{Do: do, Count: count}}
}

// plain is a valid event of the first third that is sent once, with events of its key before and behind it.
func plain(t *testing.T, l *workload.Load) workload.Event {
	t.Helper()
	for _, e := range l.Events[20:] {
		n := 0
		for _, s := range l.Sends {
			if s.Event.Label == e.Label {
				n++
			}
		}
		if e.Valid() && e.Tag == workload.TagPlain && n == 1 {
			return e
		}
	}
	t.Fatal("no event is sent once")
	return workload.Event{}
}

func labels(sends []workload.Send) []string {
	var out []string
	for _, s := range sends {
		out = append(out, s.Event.Label)
	}
	return out
}

func places(sends []workload.Send, label string) []int {
	var out []int
	for i, s := range sends {
		if s.Event.Label == label {
			out = append(out, i)
		}
	}
	return out
}

func applied(t *testing.T, l *workload.Load, steps ...target.Step) ([]workload.Send, []target.Acted) {
	t.Helper()
	before := slices.Clone(l.Sends)
	sends, acted, err := workload.Apply(l, steps)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, l.Sends) {
		t.Fatal("the load was changed")
	}
	return sends, acted
}

func TestNoInputStepLeavesTheSendsAsTheyAre(t *testing.T) {
	l := made(t, sensor, 1)
	sends, acted := applied(t, l, target.Step{Name: "k", At: target.Moment{After: "rest"}, Do: target.Action{Do: target.Kill, Role: "x"}})
	if len(acted) != 0 || !slices.Equal(labels(sends), labels(l.Sends)) {
		t.Errorf("acted %v", acted)
	}
}

func TestSendTwiceAndSendLaterRepeatTheSameRecord(t *testing.T) {
	l := made(t, sensor, 1)
	e := plain(t, l)
	at := places(l.Sends, e.Label)[0]
	sends, acted := applied(t, l, step(target.SendTwice, e.Label, 0))
	if got := places(sends, e.Label); !slices.Equal(got, []int{at, at + 1}) || acted[0].Count != 1 {
		t.Errorf("at once: sent at %v, acted %v", got, acted)
	}
	sends, _ = applied(t, l, step(target.SendLater, e.Label, 9))
	if got := places(sends, e.Label); !slices.Equal(got, []int{at, at + 10}) {
		t.Errorf("later: sent at %v", got)
	}
	again := sends[at+10]
	if again.Kind != workload.Duplicate || again.Tag != workload.TagDuplicateLater || again.Step != "send-later" || string(again.Event.Record) != string(e.Record) {
		t.Errorf("the repeated send is %+v", again)
	}
	sends, _ = applied(t, l, step(target.SendLater, l.Sends[len(l.Sends)-1].Event.Label, 100))
	if len(sends) != len(l.Sends)+1 {
		t.Errorf("at the end: %d sends", len(sends))
	}
}

func TestReorderChangesNoKeysOwnOrder(t *testing.T) {
	l := made(t, sensor, 1)
	order := func(sends []workload.Send) map[string][]string {
		out := map[string][]string{}
		for _, s := range sends {
			if s.Kind == workload.Broken {
				continue
			}
			out[s.Event.Key] = append(out[s.Event.Key], s.Event.Label)
		}
		return out
	}
	did := 0
	for _, e := range l.Valid() {
		sends, acted := applied(t, l, step(target.Reorder, e.Label, 0))
		changed := !slices.Equal(labels(sends), labels(l.Sends))
		if changed != (acted[0].Count == 1) {
			t.Fatalf("%s: changed %v, acted %v", e.Label, changed, acted[0])
		}
		if !reflect.DeepEqual(order(sends), order(l.Sends)) {
			t.Fatalf("%s: the order of a key changed", e.Label)
		}
		did += acted[0].Count
	}
	if did < 50 {
		t.Errorf("%d of %d events could change places", did, len(l.Valid()))
	}
}

func TestLateMovesAllSendsBehindWhatClosesTheWindow(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		l := made(t, path, 1)
		e := plain(t, l)
		sends, acted := applied(t, l, step(target.SendTwice, e.Label, 0), step(target.Late, e.Label, 0))
		if acted[1].Count != 1 {
			t.Fatalf("%s: %v", path, acted)
		}
		at := places(sends, e.Label)
		if len(at) != 2 || at[1] != at[0]+1 {
			t.Errorf("%s: sent at %v", path, at)
		}
		closer := sends[at[0]-1].Event
		if !slices.Equal(closer.Group, e.Group) || !closer.At.After(e.Window) || closer.Window.Equal(e.Window) {
			t.Errorf("%s: %s comes behind %s of %v at %v", path, e.Label, closer.Label, closer.Group, closer.At)
		}
		if sends[at[0]].Tag != workload.TagLate {
			t.Errorf("%s: tag %q", path, sends[at[0]].Tag)
		}
	}
}

func TestAnEventThatNothingClosesCannotBeLate(t *testing.T) {
	l := made(t, sensor, 1)
	for _, e := range l.Events {
		if e.Tag == workload.TagClosing {
			if _, acted := applied(t, l, step(target.Late, e.Label, 0)); acted[0].Count != 0 {
				t.Errorf("%s: %v", e.Label, acted)
			}
		}
	}
}

func TestInvalidSendsANewEventThatTheDocumentRefuses(t *testing.T) {
	l := made(t, sensor, 1)
	doc := load(t, sensor)
	hows := map[string]bool{}
	for i, e := range l.Valid()[:40] {
		s := step(target.Invalid, e.Label, 0)
		s.Name = workload.Label(i)
		sends, acted := applied(t, l, s, step(target.Invalid, e.Label, 0))
		if acted[0].Count != 1 || len(sends) != len(l.Sends)+2 {
			t.Fatalf("%s: %v, %d sends", e.Label, acted, len(sends))
		}
		at := places(sends, e.Label)[0]
		for _, broken := range sends[at+1 : at+3] {
			if broken.Kind != workload.Broken || len(doc.PayloadOf(l.Topic).Validate(broken.Event.Record)) == 0 {
				t.Errorf("%s is followed by %+v", e.Label, broken)
			}
			if _, there := l.Find(broken.Event.Label); there {
				t.Errorf("the label %s is taken", broken.Event.Label)
			}
			hows[broken.Event.How] = true
		}
		if sends[at+1].Event.Label == sends[at+2].Event.Label {
			t.Error("two new events share a label")
		}
	}
	if len(hows) < 10 {
		t.Errorf("80 variants are of %d kinds only", len(hows))
	}
}

func TestBurstMarksNeighbours(t *testing.T) {
	l := made(t, sensor, 1)
	e := plain(t, l)
	sends, acted := applied(t, l, step(target.Burst, e.Label, 12))
	at := places(sends, e.Label)[0]
	for i, s := range sends {
		if in := i >= at && i < at+12; (s.Burst == 1) != in {
			t.Errorf("send %d has burst %d", i, s.Burst)
		}
	}
	if acted[0].Count != 1 {
		t.Errorf("acted %v", acted)
	}
}

func TestInputStepsNameValidEventsOfTheLoad(t *testing.T) {
	l := made(t, sensor, 1)
	broken := ""
	for _, e := range l.Events {
		if !e.Valid() {
			broken = e.Label
		}
	}
	for _, label := range []string{"event:99999", "rest", "", broken} {
		if _, _, err := workload.Apply(l, []target.Step{step(target.Late, label, 0)}); err == nil {
			t.Errorf("a step at %q passes", label)
		}
	}
}

func TestAStepOnAnEventThatIsNotSentDoesNothing(t *testing.T) {
	l := made(t, sensor, 1)
	e := plain(t, l)
	kept := *l
	kept.Sends = slices.DeleteFunc(slices.Clone(l.Sends), func(s workload.Send) bool { return s.Event.Label == e.Label })
	for _, v := range []target.Verb{target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst} {
		if _, acted := applied(t, &kept, step(v, e.Label, 3)); acted[0].Count != 0 {
			t.Errorf("%s: %v", v, acted)
		}
	}
}
