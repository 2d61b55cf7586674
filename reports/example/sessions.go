package example

import (
	"slices"

	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/target"
)

// Violated is a session in which two clauses break, one of them in two cells by one cause.
func Violated() []reports.Run {
	runs := Runs()
	_, lost := Loss()
	for i := range runs {
		r := &runs[i]
		if r.Flaw != "" {
			continue
		}
		switch r.Scenario {
		case "role-killed":
			r.Acted = []target.Acted{{Step: "role-killed 1", Fault: "role-killed", Matched: 1, Count: 1,
				What: []string{"hitung/3 was killed when the commit of offset 6 of m8-suhu-kejadian/2 was applied and before it heard so"}}}
			Set(r, lost)
			r.Again = &reports.Again{K: 10, N: 10}
			r.Minimal = "120 events and 1 step are enough: kill hitung/3 after its commit passes event:17"
			Break(r, "delivery.no-loss", "event:17 of sensor-17 was acknowledged and is not counted in its hour", "role-killed 1")
		case "commit-ack-lost":
			Break(r, "delivery.no-loss", "event:31 of sensor-11 was acknowledged and is not counted in its hour", "")
		}
	}
	second := Run("role-killed", "")
	second.Cell, second.Scenario = "sensor/role-killed-at-rest/embedded", "role-killed-at-rest"
	second.Acted[0].Step = "kill at rest"
	Break(&second, "delivery.no-loss", "event:58 of sensor-18 was acknowledged and is not counted in its hour", "kill at rest")
	return append(runs, second)
}

// Undecided is a session in which a fault never acted, a wanted cell has no run, and a flaw went unnoticed.
func Undecided() []reports.Run {
	runs := slices.DeleteFunc(Runs(), func(r reports.Run) bool { return r.Scenario == "node-down" && r.Flaw == "" })
	for i := range runs {
		r := &runs[i]
		if r.Scenario == "produce-late-copy" {
			r.Acted[0].Count, r.Acted[0].What = 0, nil
		}
		if r.Flaw == "key-random" {
			Set(r, check.Verdict{Clause: "topic.key", Outcome: check.Holds, Why: "240 records examined", Examined: 240})
		}
	}
	return runs
}
