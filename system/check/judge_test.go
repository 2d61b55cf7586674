package check

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

func empty() *Input { return &Input{Doc: &contract.Document{}, History: &history.History{}} }

func clauses(ids ...contract.ID) []contract.Clause {
	var out []contract.Clause
	for _, id := range ids {
		out = append(out, contract.Clause{ID: id})
	}
	return out
}

func checker(id contract.ID, check func(ctx context.Context, in *Input) ([]Verdict, error)) Checker {
	return Checker{Name: string(id), Clauses: []contract.ID{id}, Check: check}
}

func says(v Verdict) Checker {
	return checker(v.Clause, func(context.Context, *Input) ([]Verdict, error) { return []Verdict{v}, nil })
}

func only(t *testing.T, verdicts []Verdict) Verdict {
	t.Helper()
	if len(verdicts) != 1 {
		t.Fatalf("%d verdicts: %v", len(verdicts), verdicts)
	}
	return verdicts[0]
}

func TestEachClauseHasOneVerdictSortedByClause(t *testing.T) {
	all := []Checker{says(Verdict{Clause: "b", Outcome: Holds, Examined: 1}), says(Verdict{Clause: "x", Outcome: Broken}), says(Verdict{Clause: "a", Outcome: Broken})}
	got := Judge(context.Background(), clauses("b", "c", "a", "b"), empty(), all)
	if len(got) != 3 || got[0].Clause != "a" || got[1].Clause != "b" || got[2].Clause != "c" {
		t.Fatalf("%v", got)
	}
	if got[2].Outcome != Inconclusive || !strings.Contains(got[2].Why, "No checker") {
		t.Errorf("a clause without a checker: %v", got[2])
	}
}

func TestWhatIsNotGreenForAReasonIsNotGreen(t *testing.T) {
	for name, v := range map[string]Verdict{
		"nothing examined": {Clause: "a", Outcome: Holds},
		"no outcome":       {Clause: "a"},
	} {
		if got := only(t, Judge(context.Background(), clauses("a"), empty(), []Checker{says(v)})); got.Outcome != Inconclusive {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestACheckerThatFailsGivesInconclusiveWithTheReason(t *testing.T) {
	boom := checker("a", func(context.Context, *Input) ([]Verdict, error) { panic("boom") })
	errs := checker("a", func(context.Context, *Input) ([]Verdict, error) { return nil, errors.New("disk is gone") })
	silent := checker("a", func(context.Context, *Input) ([]Verdict, error) { return nil, nil })
	for want, c := range map[string]Checker{"panicked: boom": boom, "disk is gone": errs, "no verdict": silent} {
		got := only(t, Judge(context.Background(), clauses("a"), empty(), []Checker{c}))
		if got.Outcome != Inconclusive || !strings.Contains(got.Why, want) {
			t.Errorf("%s: %v", want, got)
		}
		if want == "panicked: boom" && !strings.Contains(got.Detail, "judge_test.go") {
			t.Errorf("no stack: %q", got.Detail)
		}
	}
}

func TestACheckerThatHangsIsLeftBehindAtTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	hangs := checker("a", func(ctx context.Context, _ *Input) ([]Verdict, error) {
		cancel(errors.New("the run's time is over"))
		select {}
	})
	got := Judge(ctx, clauses("a"), empty(), []Checker{hangs})
	if v := only(t, got); v.Outcome != Inconclusive || !strings.Contains(v.Why, "the run's time is over") {
		t.Errorf("%v", v)
	}
}

func TestAPanicOfTheIndexIsEveryCheckersReason(t *testing.T) {
	in := empty()
	in.Doc = nil
	a := One("a", "", func(in *Input, t *Tally) Verdict { in.Index(); return t.Verdict("", "") })
	b := One("b", "", func(in *Input, t *Tally) Verdict { in.Index(); return t.Verdict("", "") })
	doc := &contract.Document{}
	defer func() { in.Doc = doc }()
	for _, c := range []Checker{a, b} {
		for _, v := range runOne(context.Background(), c, in) {
			if v.Outcome != Inconclusive || !strings.Contains(v.Why, "panicked") {
				t.Errorf("%v", v)
			}
		}
	}
}

func TestWhatTheEnvironmentLacksIsNotApplicableWithItsReason(t *testing.T) {
	in := empty()
	in.Lacks = map[contract.Feature]string{contract.NeedsWire: "the broker is reached directly"}
	wanted := []contract.Clause{{ID: "a", Needs: []contract.Feature{contract.NeedsWire, contract.NeedsRows}}, {ID: "b", Needs: []contract.Feature{contract.NeedsRows}}}
	got := Judge(context.Background(), wanted, in, []Checker{says(Verdict{Clause: "a", Outcome: Broken}), says(Verdict{Clause: "b", Outcome: Holds, Examined: 1})})
	if got[0].Outcome != NotApplicable || !strings.Contains(got[0].Why, "reached directly") || got[1].Outcome != Holds {
		t.Errorf("%v", got)
	}
}

func TestAWaiverSuspendsAClauseUntilItsDayIsOver(t *testing.T) {
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		today time.Time
		want  Outcome
	}{{time.Time{}, Waived}, {day.Add(23 * time.Hour), Waived}, {day.AddDate(0, 0, 1), Broken}} {
		in := empty()
		in.Doc.Waivers = []contract.Waiver{{Clause: "a", Owner: "Sari", Reason: "known", Expires: day}}
		in.Today = c.today
		got := only(t, Judge(context.Background(), clauses("a"), in, []Checker{says(Verdict{Clause: "a", Outcome: Broken, Why: "Lost v1."})}))
		if got.Outcome != c.want || !strings.Contains(got.Why, "Lost v1") {
			t.Errorf("%v: %v", c.today, got)
		}
	}
}

func TestTheWorstOfTwoCheckersCounts(t *testing.T) {
	got := only(t, Judge(context.Background(), clauses("a"), empty(), []Checker{says(Verdict{Clause: "a", Outcome: Holds, Examined: 1}), says(Verdict{Clause: "a", Outcome: Broken})}))
	if got.Outcome != Broken {
		t.Errorf("%v", got)
	}
}

func TestAVerdictNamesThreeFindingsAndCountsAll(t *testing.T) {
	in := empty()
	tally := &Tally{clause: "a", in: in}
	tally.Look(9)
	told := 0
	for range 9 {
		tally.Find(func() Finding { told++; return Finding{Text: "one is gone", Witness: []history.Seq{3, 1, 3, 0}} })
	}
	v := tally.Verdict("", "")
	if told != 3 || v.Found != 9 || strings.Count(v.Why, "one is gone") != 3 || !strings.Contains(v.Why, "9 findings") || len(v.Witness) != 2 || v.Witness[0] != 1 {
		t.Errorf("told %d: %+v", told, v)
	}
}

func TestATraceHasAtMostTwelveEvents(t *testing.T) {
	var all []history.Seq
	for i := range 40 {
		all = append(all, history.Seq(i+1))
	}
	got := shortened(all)
	if len(got) != 12 || got[0] != 1 || got[11] != 40 {
		t.Errorf("%v", got)
	}
}

func TestTheCauseIsTheStepThatTouchedTheTrace(t *testing.T) {
	h := &history.History{
		Events: []history.Event{
			{Seq: 1, At: 1, Op: history.OpFault, Phase: history.Invoke, Key: "early"},
			{Seq: 2, At: 2, Op: history.OpFault, Phase: history.OK, Key: "early"},
			{Seq: 3, At: 5, Op: history.OpSend, Phase: history.Invoke, Key: "v1"},
			{Seq: 4, At: 6, Op: history.OpFault, Phase: history.Invoke, Key: "open"},
			{Seq: 5, At: 9, Op: history.OpSend, Phase: history.OK, Of: 3, Key: "v1"},
			{Seq: 6, At: 90, Op: history.OpRecord, Phase: history.OK, Tag: history.ScanRest},
		},
		Ledger: []history.Exchange{{Seq: 1, API: "Produce", Fault: "cut", Items: []history.Item{{Labels: []string{"v2"}}}}, {Seq: 2, API: "Fetch"}},
	}
	ix := (&Input{Doc: &contract.Document{}, History: h}).Index()
	for _, c := range []struct {
		f    Finding
		want string
	}{
		{Finding{Exchanges: []int64{1}}, "cut"},
		{Finding{Exchanges: []int64{2}, Labels: []string{"v2"}}, "cut"},
		{Finding{Witness: []history.Seq{3, 5}}, "open"},
		{Finding{Witness: []history.Seq{1, 2}}, "early"},
		{Finding{Witness: []history.Seq{6}}, ""},
		{Finding{}, ""},
	} {
		if got, _ := ix.cause(c.f); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

func TestAStepOnTheInputIsTheCauseOfWhatItsEventBreaks(t *testing.T) {
	in := &Input{Doc: &contract.Document{}, History: &history.History{Events: []history.Event{
		{Seq: 1, Op: history.OpFault, Phase: history.OK, Proc: "source", Key: "duplicate-sends#0", Value: "event:7"},
		{Seq: 2, Op: history.OpSend, Phase: history.Invoke, Key: "event:7"},
		{Seq: 3, Op: history.OpSend, Phase: history.Invoke, Key: "event:8"},
	}}}
	for want, f := range map[string]Finding{
		"duplicate-sends#0": {Witness: []history.Seq{2}},
		"":                  {Witness: []history.Seq{3}},
	} {
		if got, _ := in.Index().cause(f); got != want {
			t.Errorf("the cause of %v is %q, want %q", f.Witness, got, want)
		}
	}
}
