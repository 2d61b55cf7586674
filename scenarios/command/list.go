package command

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"

	"tahanuji/faults"
	"tahanuji/reference/sensor"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/session"
	"tahanuji/system/broker"
	"tahanuji/system/contract"
	"tahanuji/system/shipped"
)

// entry is one line of a list.
type entry struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	More any    `json:"more,omitempty"`
}

// lists are the things that can be listed.
var lists = []string{"clauses", "faults", "scenarios", "flaws", "moments", "systems", "brokers"}

func listCommand() Command {
	return Command{
		Name: "list", Args: strings.Join(lists, "|") + " [-json]", Doc: "what there is",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			asJSON, arch, system := false, "", "sensor"
			set, err := flags(w, "list", "THINGS", func(set *flag.FlagSet) {
				set.BoolVar(&asJSON, "json", false, "as JSON")
				set.StringVar(&arch, "arch", "", "clauses of this document")
				set.StringVar(&system, "system", "sensor", "clauses of this shipped system")
			}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "one of "+strings.Join(lists, ", ")); err != nil {
				return 0, err
			}
			entries, err := listed(set.Arg(0), arch, system)
			if err != nil {
				return 0, err
			}
			if asJSON {
				e := json.NewEncoder(w.Out)
				e.SetIndent("", "  ")
				return Conforms, e.Encode(entries)
			}
			for _, e := range entries {
				fmt.Fprintf(w.Out, "%-28s %s\n", e.Name, e.Doc)
			}
			return Conforms, nil
		},
	}
}

func listed(what, arch, system string) ([]entry, error) {
	var out []entry
	switch what {
	case "clauses":
		doc, err := document(arch, system)
		if err != nil {
			return nil, err
		}
		for _, c := range contract.Clauses(doc) {
			out = append(out, entry{string(c.ID), c.Text, c})
		}
	case "faults":
		for _, f := range faults.All() {
			out = append(out, entry{f.Name, f.Doc, f.Needs})
		}
	case "scenarios":
		for _, s := range catalog.All() {
			out = append(out, entry{s.Name, s.Doc, map[string]any{"faults": s.Faults(), "aims": s.Aims}})
		}
	case "flaws":
		for _, f := range sensor.AllFlaws() {
			out = append(out, entry{f.Name, strings.Join(f.Breaks, ", ") + ": " + f.Doc, map[string]any{"breaks": f.Breaks, "shownBy": catalog.Shows(f.Name)}})
		}
	case "moments":
		return moments(), nil
	case "systems":
		for _, s := range shipped.All() {
			out = append(out, entry{s.Name, s.Doc, s.File})
		}
	case "brokers":
		for _, b := range broker.Backends() {
			out = append(out, entry{b.Name, b.Doc, b.Lacks})
		}
	default:
		return nil, session.Known("list", what, lists)
	}
	return out, nil
}

// document loads the document at a path, or a shipped one by name.
func document(arch, system string) (*contract.Document, error) {
	if arch != "" {
		doc, err := contract.Load(arch)
		if err != nil {
			return nil, session.Refusal{Text: err.Error()}
		}
		return doc, nil
	}
	var names []string
	for _, s := range shipped.All() {
		if s.Name == system {
			return s.Load()
		}
		names = append(names, s.Name)
	}
	return nil, session.Known("-system", system, names)
}
