package session

import (
	"fmt"
	"slices"
	"strings"

	"tahanuji/faults"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
)

// Cell is one run that the sitting wants: a scenario on the broker, with a seed of its own that is derived from the sitting's
// seed and the cell's id, so that a cell that is run alone draws the same.
type Cell struct {
	ID       string
	Scenario scenario.Scenario
	Seed     uint64
	Flaw     string // "" or the flaw of the whole sitting (-flaw)

	swept *swept // what a sweep's cell is about; nil for all others
}

// pick lists the cells of a profile, less what the flags leave out.
func (s *Session) pick() ([]Cell, error) {
	if s.Profile.Sweep != nil {
		return s.pickSweep()
	}
	wanted, err := s.wantedScenarios(catalog.All())
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for n := range s.Profile.Seeds {
		for _, sc := range wanted {
			if s.skip(sc) != "" {
				s.Skipped = append(s.Skipped, Cell{ID: cellID(s.System, sc, s.Backend.Name, n, s.Options.Flaw), Scenario: sc})
				continue
			}
			id := cellID(s.System, sc, s.Backend.Name, n, s.Options.Flaw)
			cells = append(cells, Cell{ID: id, Scenario: sc, Seed: seed.Derive(s.Seed, id), Flaw: s.Options.Flaw})
		}
	}
	return s.mine(cells)
}

// mine are the cells of this shard.
func (s *Session) mine(cells []Cell) ([]Cell, error) {
	part, err := parseShard(s.Options.Shard)
	if err != nil {
		return nil, err
	}
	s.pickExplored(part)
	var mine []Cell
	for i, c := range cells {
		if i%part.n == part.i-1 {
			mine = append(mine, c)
		}
	}
	if len(mine) == 0 && s.Explored == nil && len(s.Skipped) > 0 {
		return nil, refuse("nothing is left to run: %s", s.skip(s.Skipped[0].Scenario))
	}
	if len(mine) == 0 && s.Explored == nil {
		return nil, refuse("no scenario is left: -scenario %q -clause %q -fault %q -shard %q leave out all of profile %s",
			s.Options.Scenario, s.Options.Clause, s.Options.Fault, s.Options.Shard, s.Profile.Name)
	}
	return mine, nil
}

// skip says why the broker or the services can't show a scenario's faults, "" when they can. What it skips is not-applicable, with
// the reason.
func (s *Session) skip(sc scenario.Scenario) string {
	if why := s.unaimed(sc); why != "" {
		return why
	}
	return s.lacking(sc)
}

// Why says why a skipped cell is not run.
func (s *Session) Why(c Cell) string { return s.skip(c.Scenario) }

// lacking says which of a scenario's faults the broker or the services can't show, "" when none.
func (s *Session) lacking(sc scenario.Scenario) string {
	lacks := s.Adapter.Lacks(s.Doc)
	if why := lacks[contract.NeedsAccept]; why != "" && len(sc.Plan) > 0 {
		return "no event can be sent to aim it at: " + why
	}
	store := lacks[contract.NeedsStore]
	for _, f := range sc.Faults() {
		if fault, ok := faults.Named(f); ok && store != "" && slices.Contains(fault.Needs, target.Stores) {
			return f + " takes hold of a store: " + store
		}
		if s.Options.Nodes == 1 && (f == "leader-moved" || f == "coordinator-moved") {
			return "a cluster of one node (-nodes 1) has no other node to move anything to, which " + f + " needs"
		}
	}
	return ""
}

// cellID is system/scenario/fault/broker[/flaw-NAME]; the second and further seeds of a profile are "broker.2" and so on.
func cellID(system string, sc scenario.Scenario, broker string, n int, flaw string) string {
	fault := strings.Join(sc.Faults(), ".")
	if fault == "" {
		fault = "none"
	}
	if n > 0 {
		broker = fmt.Sprintf("%s.%d", broker, n+1)
	}
	id := strings.Join([]string{system, sc.Name, fault, broker}, "/")
	if flaw != "" {
		id += "/flaw-" + flaw
	}
	return id
}

func (s *Session) wantedScenarios(all []scenario.Scenario) ([]scenario.Scenario, error) {
	names := []string{explored}
	for _, sc := range all {
		names = append(names, sc.Name)
	}
	var only []string
	if s.Options.Scenario != "" {
		only = strings.Split(s.Options.Scenario, ",")
	}
	for _, name := range only {
		if err := Known("-scenario", name, names); err != nil {
			return nil, err
		}
	}
	var out []scenario.Scenario
	for _, sc := range all {
		switch {
		case only != nil && !slices.Contains(only, sc.Name),
			s.Options.Clause != "" && !slices.Contains(sc.Aims, contract.ID(s.Options.Clause)),
			s.Options.Fault != "" && !slices.Contains(faultsOrNone(sc), s.Options.Fault):
			continue
		}
		out = append(out, sc)
	}
	return out, nil
}

func faultsOrNone(sc scenario.Scenario) []string {
	if f := sc.Faults(); len(f) > 0 {
		return f
	}
	return []string{"none"}
}

// explored is the scenario that has no file: random plans on the model.
const explored = "explored"

// pickExplored adds the search on the model, to the first shard, where the reference is what is judged and no filter leaves it out.
func (s *Session) pickExplored(part shard) {
	o := s.Options
	only := o.Scenario == explored
	if s.Profile.Explore == 0 || part.i != 1 || o.Sut != "" || o.Input != "" || !only && (o.Scenario != "" || o.Clause != "" || o.Fault != "") {
		return
	}
	sc := scenario.Scenario{Name: explored, Doc: fmt.Sprintf("%d random workloads, fault plans and crash points on the model of a broker.", s.Profile.Explore)}
	id := cellID(s.System, sc, Model, 0, o.Flaw)
	s.Explored = &Cell{ID: id, Scenario: sc, Seed: seed.Derive(s.Seed, id), Flaw: o.Flaw}
}
