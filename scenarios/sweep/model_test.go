package sweep_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"tahanuji/scenarios/session"
)

func TestTheReferenceHoldsInEverySquareThatTheModelKnows(t *testing.T) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	o := session.Register(set, func(string) (string, bool) { return "", false })
	if err := set.Parse([]string{"-profile", "sweep", "-out", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(*o, session.Edge{Root: t.TempDir(), Command: "here", Now: time.Now(), Profiles: []byte(profiles)})
	if err != nil {
		t.Fatal(err)
	}
	ran, reached := 0, 0
	for _, c := range s.Cells {
		if !strings.HasSuffix(c.ID, "/"+session.Model) {
			continue
		}
		r := s.Do(context.Background(), c.ID)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if r.Skip != "" {
			continue
		}
		ran++
		acted := 0
		for _, a := range r.Run.Acted {
			if a.Fault == c.Scenario.Faults()[0] {
				acted += a.Count
			}
		}
		if acted > 0 {
			reached++
		}
		for _, id := range session.BrokenIn(r.Run) {
			for _, v := range r.Run.Verdicts {
				if v.Clause == id {
					t.Errorf("%s: %s: %s", c.ID, id, v.Why)
				}
			}
		}
	}
	if ran < 80 || reached < ran*2/3 {
		t.Errorf("%d squares ran on the model, %d of them were reached", ran, reached)
	}
	t.Logf("%d squares ran on the model, %d of them were reached", ran, reached)
}
