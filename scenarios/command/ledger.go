package command

import (
	"context"
	"encoding/json"
	"flag"

	"tahanuji/reports"
	"tahanuji/reports/life"
	"tahanuji/scenarios/session"
)

func ledgerCommand() Command {
	return Command{
		Name: "ledger", Args: "RUN [-event ID|event:N|summary:...] [-json]", Doc: "the life of one event of a run, or what clients were left in doubt about",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			event, asJSON := "", false
			set, err := flags(w, "ledger", "RUN", func(set *flag.FlagSet) {
				set.StringVar(&event, "event", "", "an event's label (event:17, summary:KEY|WINDOW) or its id")
				set.BoolVar(&asJSON, "json", false, "as JSON")
			}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "one run folder"); err != nil {
				return 0, err
			}
			story, err := storyOf(w, set.Arg(0))
			if err != nil {
				return 0, err
			}
			return tellLife(w, story, event, asJSON)
		},
	}
}

// storyOf reads a run folder.
func storyOf(w World, folder string) (life.Story, error) {
	r, err := reports.ReadRun(folder)
	if err != nil {
		return life.Story{}, session.Refusal{Text: folder + " is no run folder: " + err.Error() + ". Name one under out/<run id>/cells"}
	}
	doc, err := session.DocumentOf(folder, w.edge())
	if err != nil {
		return life.Story{}, err
	}
	h, err := reports.ReadHistory(folder)
	if err != nil {
		return life.Story{}, session.Refusal{Text: err.Error()}
	}
	return life.Story{Doc: doc, History: h, Verdicts: r.Verdicts}, nil
}

func tellLife(w World, story life.Story, event string, asJSON bool) (int, error) {
	var told any
	var print func() error
	if event == "" {
		doubts := life.Doubts(story)
		told, print = doubts, func() error { return life.PrintDoubts(w.Out, doubts) }
	} else {
		l, err := life.Of(story, event)
		if err != nil {
			return 0, session.Refusal{Text: "-event: " + err.Error()}
		}
		told, print = l, func() error { return l.Print(w.Out) }
	}
	if !asJSON {
		return Conforms, print()
	}
	e := json.NewEncoder(w.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return Conforms, e.Encode(told)
}
