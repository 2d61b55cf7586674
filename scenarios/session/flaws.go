package session

import (
	"fmt"
	"strings"

	"tahanuji/reference/sensor"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
)

// Model is the name that the simulated broker has in cell ids.
const Model = "model"

// FlawCell is one run of the reference with a flaw, to prove that the checks bite.
type FlawCell struct {
	Cell
	Lane string // Model or the broker's name
}

// pickFlaws lists the flawed runs of the profile: each flaw of the reference on the model, and on the broker too where the
// profile says so. A sitting over a part of the cells, over somebody's services or over another document has none: they
// prove something about the checks and nothing about the system.
func (s *Session) pickFlaws() []FlawCell {
	o := s.Options
	if s.Profile.Flaws == "none" || o.Sut != "" || o.Arch != "" || o.Input != "" || o.Flaw != "" || o.Scenario != "" || o.Clause != "" || o.Fault != "" {
		return nil
	}
	part, err := parseShard(o.Shard)
	if err != nil {
		return nil
	}
	var out []FlawCell
	for i, f := range sensor.AllFlaws() {
		if i%part.n != part.i-1 {
			continue
		}
		sc, ok := catalog.Named(catalog.Shows(f.Name))
		if !ok {
			continue // a test holds that every flaw has a scenario
		}
		if catalog.OnModel(f.Name) {
			out = append(out, s.flawCell(f.Name, sc, Model))
		}
		if s.Profile.Flaws == "broker" || !catalog.OnModel(f.Name) {
			out = append(out, s.flawCell(f.Name, sc, s.Backend.Name))
		}
	}
	return out
}

func (s *Session) flawCell(flaw string, sc scenario.Scenario, lane string) FlawCell {
	id := cellID(s.System, sc, lane, 0, flaw)
	return FlawCell{Cell: Cell{ID: id, Scenario: sc, Flaw: flaw, Seed: seed.Derive(s.Seed, id)}, Lane: lane}
}

func flawNames() []string {
	var out []string
	for _, f := range sensor.AllFlaws() {
		out = append(out, f.Name)
	}
	return out
}

// expected are the clauses that a flaw must break.
func expected(flaw string) []contract.ID {
	for _, f := range sensor.AllFlaws() {
		if f.Name != flaw {
			continue
		}
		out := make([]contract.ID, 0, len(f.Breaks))
		for _, id := range f.Breaks {
			out = append(out, contract.ID(id))
		}
		return out
	}
	return nil
}

// DescribeFlaw is one line for people.
func DescribeFlaw(f sensor.Flaw) string {
	return fmt.Sprintf("%-26s %s: %s", f.Name, strings.Join(f.Breaks, ", "), f.Doc)
}
