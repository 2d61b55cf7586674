package explore

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestWide(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("WIDE"))
	if n == 0 {
		t.Skip()
	}
	doc := os.Getenv("DOC")
	if doc == "" {
		doc = sensorDoc
	}
	b := open(t, doc)
	s, _ := strconv.Atoi(os.Getenv("SEED"))
	e := b.explorer(t, os.Getenv("FLAW"), Config{Seed: uint64(s), Replay: 4})
	seen := map[string]int{}
	for i := range n {
		p, err := e.Draw(i)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		broken, err := e.Try(t.Context(), p)
		if d := time.Since(begun); d > 300*time.Millisecond {
			r, _ := e.Run(t.Context(), p)
			fmt.Println("SLOW", i, d, r.Virtual, r.Took, len(r.History.Events), len(r.History.Ledger), r.Unsettled, text(p))
		}
		if err != nil {
			fmt.Println("ERR", i, err, text(p))
			continue
		}
		for _, v := range broken {
			seen[string(v.Clause)]++
			if seen[string(v.Clause)] == 1 {
				f := &Finding{Number: i, Plan: p, Verdict: v}
				begun := time.Now()
				e.Shrink(t.Context(), f)
				fmt.Println("shrunk in", time.Since(begun), f.Shrunk)
				fmt.Println(i, f.Verdict.Clause, f.Verdict.Why, "\n   ", text(f.Plan))
			}
		}
	}
	fmt.Println(seen)
}
