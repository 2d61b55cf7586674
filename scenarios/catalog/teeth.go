package catalog

// shows says, for each flaw of the reference, the scenario in which it has to be caught. A test holds that no flaw is missing
// and runs each of them.
var shows = map[string]string{
	"no-validation":           "invalid-input",
	"validation-after-send":   "invalid-input",
	"first-field-only":        "invalid-input",
	"key-missing":             "calm",
	"key-random":              "calm",
	"acks-1":                  "calm",
	"not-idempotent":          "event-copied",
	"new-event-id-on-resend":  "duplicate-sends",
	"invents-event":           "calm",
	"outbox-in-memory":        "recorder-killed-in-doubt",
	"outbox-unordered":        "recorder-killed-in-doubt",
	"wrong-ack":               "calm",
	"extra-topic":             "calm",
	"extra-partition":         "calm",
	"retention-short":         "calm",
	"cleanup-compact":         "calm",
	"commit-before-store":     "summarizer-killed",
	"auto-commit":             "store-fails",
	"late-commit-rewinds":     "member-joins",
	"no-dedupe":               "duplicate-sends",
	"dedupe-in-memory":        "replayed",
	"dedupe-by-offset":        "duplicate-sends",
	"dedupe-window-short":     "replayed",
	"store-per-member":        "member-joins",
	"publish-not-retried":     "summarizer-killed",
	"silence-ignored":         "calm",
	"float-mean":              "calm",
	"max-is-last":             "calm",
	"wall-clock-hour":         "calm",
	"late-event-dropped":      "late-input",
	"summary-random-id":       "replayed",
	"skip-poison-silently":    "poison-record",
	"poison-stalls":           "poison-record",
	"poison-ends-role":        "poison-record",
	"quiet-member":            "member-leaves",
	"summary-key-of-the-hour": "calm",
	"display-append":          "late-input",
	"display-keeps-first":     "late-input",
	"display-forgets":         "display-killed",
	"one-group-for-both":      "calm",
}

// brokerOnly are the flaws that the model can't show, each with the reason.
var brokerOnly = map[string]string{}

// Shows is the scenario in which a flaw has to be caught, "" for a flaw that is not known.
func Shows(flaw string) string { return shows[flaw] }

// OnModel says whether the model can show a flaw.
func OnModel(flaw string) bool { return brokerOnly[flaw] == "" }
