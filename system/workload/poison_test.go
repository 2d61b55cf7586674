package workload_test

import (
	"encoding/json"
	"testing"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

func TestPoisonCanBeTakenForNoEvent(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		doc, l := load(t, path), made(t, path, 1)
		fold := doc.Folds()[0].Fold
		hows := map[string]bool{}
		for i, e := range l.Valid() {
			key, value, how, err := l.Poison(l.Topic, e.Label, workload.Label(i))
			if err != nil {
				t.Fatal(err)
			}
			hows[how] = true
			if string(key) != e.Key || len(doc.PayloadOf(l.Topic).Validate(value)) == 0 {
				t.Errorf("%s: key %q, %s: %s", path, key, how, value)
			}
			var object map[string]any
			if json.Unmarshal(value, &object) != nil {
				continue
			}
			whole := true
			for _, p := range append([]contract.Pointer{fold.Window.Of}, fold.By...) {
				_, there := p.Text(value)
				whole = whole && there
			}
			if whole {
				t.Errorf("%s: %s still has its time and group: %s", path, how, value)
			}
		}
		if len(hows) < 4 {
			t.Errorf("%s: poison comes in %d kinds only: %v", path, len(hows), hows)
		}
	}
}

func TestPoisonOfAnotherTopicIsNoJSONAndHasTheTopicsKey(t *testing.T) {
	doc, l := load(t, toko), made(t, toko, 1)
	key, value, _, err := l.Poison("toko-total", "summary:x|y", "p")
	if err != nil || string(key) != "toko-melati" || json.Valid(value) || len(doc.PayloadOf("toko-total").Validate(value)) == 0 {
		t.Errorf("key %q, value %s, %v", key, value, err)
	}
	if _, _, _, err := l.Poison("no-topic", "event:1", "p"); err == nil {
		t.Error("a topic that is not in the document passes")
	}
}
