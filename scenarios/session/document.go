package session

import (
	"encoding/json"
	"os"
	"path/filepath"

	"tahanuji/system/contract"
)

// DocumentOf is the document that a run folder's sitting judged by, as it is today. It opens no sitting.
func DocumentOf(folder string, at Edge) (*contract.Document, error) {
	text, err := os.ReadFile(filepath.Join(folder, "..", "..", keptFile))
	if err != nil {
		return nil, refuse("%s: the sitting's %s is missing: %v", folder, keptFile, err)
	}
	var o settings
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, refuse("%s: %v", keptFile, err)
	}
	doc, err := (&Session{Options: o.Options}).load()
	if err != nil {
		return nil, refuse("%v", err)
	}
	if o.ADR == "" {
		return doc, nil
	}
	proposed, _, err := at.Propose(doc, o.ADR)
	if err != nil {
		return nil, err
	}
	return proposed.Document, nil
}
