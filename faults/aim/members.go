package aim

import (
	"fmt"

	"tahanuji/system/contract"
)

// Instances is how many instances the role runs with: one, and of a summarizer as many as are wanted and the document allows.
func (a Aim) Instances() int {
	n := max(1, a.Members)
	if a.kind() != contract.Summarizer {
		return 1
	}
	if most, _ := a.most(); most > 0 {
		n = min(n, most)
	}
	return n
}

// Room says why no member may join: the document bounds the members of a group that the role reads in, and so many run already.
func (a Aim) Room() error {
	if most, group := a.most(); most > 0 && a.Instances() >= most {
		return fmt.Errorf("aim: the document gives the group %s at most %d members, and one more would be %d", group, most, a.Instances()+1)
	}
	return nil
}

// most is the least bound that the document sets to the members of the role's groups, and whose it is; 0 where it sets none.
func (a Aim) most() (most int, group string) {
	role, err := a.Role()
	if err != nil {
		return 0, ""
	}
	for _, name := range a.Doc.GroupsOf(role) {
		if g := a.Doc.Group(name); g != nil && g.Members > 0 && (most == 0 || g.Members < most) {
			most, group = g.Members, name
		}
	}
	return most, group
}
