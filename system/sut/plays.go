package sut

import (
	"fmt"
	"slices"

	"tahanuji/system/contract"
	"tahanuji/system/sut/inside"
	"tahanuji/system/sut/services"
)

// Plays says why the reference can't play a role of the document, nil when it can play all. It starts nothing.
func (r Reference) Plays(doc *contract.Document) error {
	for _, role := range doc.Roles() {
		if r.only != nil && !r.only[role.Name] {
			continue
		}
		if _, err := inside.Config(doc, role.Name, ""); err != nil {
			return fmt.Errorf("sut: %w", err)
		}
	}
	return nil
}

// Plays says why the reference can't play one of the roles that the file leaves to it. A file that does not fit the document says
// nothing here: Bind does.
func (c *Command) Plays(doc *contract.Document) error {
	bound, err := c.file.Bind(doc)
	if err != nil {
		return nil
	}
	left := map[string]bool{}
	for _, role := range doc.Roles() {
		left[role.Name] = !slices.ContainsFunc(bound.Roles, func(r *services.Role) bool { return r.Plain == role.Name })
	}
	return Reference{only: left}.Plays(doc)
}
