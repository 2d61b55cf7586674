package session

import (
	"fmt"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
)

// Profile is how much one sitting does.
type Profile struct {
	Name    string `yaml:"-"`
	Doc     string `yaml:"doc"`
	Seeds   int    `yaml:"seeds"`   // runs of each scenario, each with a seed of its own
	Flaws   string `yaml:"flaws"`   // none, model or broker
	Explore int    `yaml:"explore"` // random plans on the model
	Sweep   *Sweep `yaml:"sweep"`   // every protocol moment instead of the scenarios; nil: the scenarios
}

// Sweep is how far a sweep goes.
type Sweep struct {
	Pairs int `yaml:"pairs"` // runs with two faults at once, chosen by the seed
	Least int `yaml:"least"` // percent of the moments that have to be reached, or the report is incomplete
}

// LoadProfiles reads ginkgo.yml strictly: unknown and doubled keys are refused with their line.
func LoadProfiles(path string) ([]Profile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	return parseProfiles(path, text)
}

func parseProfiles(path string, text []byte) ([]Profile, error) {
	var file struct {
		Profiles map[string]Profile `yaml:"profiles"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, refuse("%s: %s", path, yaml.FormatError(err, false, false))
	}
	var out []Profile
	for name, p := range file.Profiles {
		p.Name = name
		switch {
		case p.Flaws != "none" && p.Flaws != "model" && p.Flaws != "broker":
			return nil, refuse("%s: profile %s: flaws: %q is not none, model or broker", path, name, p.Flaws)
		case p.Seeds < 1:
			return nil, refuse("%s: profile %s: seeds: %d, at least 1 is needed", path, name, p.Seeds)
		case p.Explore < 0:
			return nil, refuse("%s: profile %s: explore: %d is negative", path, name, p.Explore)
		case p.Sweep != nil && p.Seeds != 1:
			return nil, refuse("%s: profile %s: seeds: %d: a sweep has one seed; give another by -seed", path, name, p.Seeds)
		case p.Sweep != nil && (p.Sweep.Pairs < 0 || p.Sweep.Least < 0 || p.Sweep.Least > 100):
			return nil, refuse("%s: profile %s: sweep: pairs %d and least %d: a number of runs, and percent from 0 to 100", path, name, p.Sweep.Pairs, p.Sweep.Least)
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Profile) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out, nil
}
