package explore

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func TestDebug(t *testing.T) {
	raw := os.Getenv("PLAN")
	if raw == "" {
		t.Skip()
	}
	b := open(t, sensorDoc)
	e := b.explorer(t, os.Getenv("FLAW"), Config{})
	var p Plan
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.History.Events {
		if len(x.Value) > 120 {
			x.Value = x.Value[:120]
		}
		fmt.Println(x.Seq, x.At, x.Proc, x.Op, x.Phase, x.Of, x.Tag, x.Key, x.Value, x.Where, x.Err)
	}
	for _, x := range r.History.Ledger {
		if x.API != "Heartbeat" || x.Fault != "" {
			fmt.Println(x.Seq, x.At, x.Door, x.API, x.Member, x.Generation, x.Applied, x.Told, x.Fault, x.Do, fmt.Sprintf("%+v", x.Items))
		}
	}
	for _, v := range b.judge(nil)(t.Context(), r.History) {
		if v.Outcome == "broken" || os.Getenv("ALL") != "" {
			fmt.Println(v.Clause, v.Outcome, v.Why, v.Witness)
		}
	}
	fmt.Println(r.Acted, r.Unsettled, r.Virtual)
}
