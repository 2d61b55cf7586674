package session

import (
	"fmt"
	"strings"

	"tahanuji/system/contract"
)

// Propose is the edge of a sitting that judges the document as a proposed decision would make it, played by the variant of the
// reference that the decision names. What can't be proposed is refused.
func (at Edge) Propose(doc *contract.Document, id string) (Edge, *contract.Proposal, error) {
	p, err := contract.Propose(doc, id, at.Now)
	if err != nil {
		return at, nil, refuse("%s", strings.TrimPrefix(err.Error(), "contract: propose: "))
	}
	if p.ADR.Variant != "" {
		if err := Known(fmt.Sprintf("variant of %s", id), p.ADR.Variant, flawNames()); err != nil {
			return at, nil, err
		}
	}
	at.Document, at.Variant, at.ADR = p.Document, p.ADR.Variant, p.ADR.ID
	return at, p, nil
}
