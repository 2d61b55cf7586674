package draw

import (
	"strconv"

	"tahanuji/system/contract"
)

// At is the node at a pointer, nil if there is none. Of a repeated name the last counts, as most readers have it.
func (n *Node) At(p contract.Pointer) *Node {
	for _, step := range p.Tokens() {
		if n = n.child(step); n == nil {
			return nil
		}
	}
	return n
}

func (n *Node) child(step string) *Node {
	switch n.Shape {
	case Object:
		for i := len(n.Members) - 1; i >= 0; i-- {
			if n.Members[i].Name == step {
				return n.Members[i].Value
			}
		}
	case Array:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
	case Raw:
	}
	return nil
}

// Set puts a node at a pointer and makes the objects on the way that are missing. It reports whether it could.
func (n *Node) Set(p contract.Pointer, value *Node) bool {
	steps := p.Tokens()
	if len(steps) == 0 {
		*n = *value
		return true
	}
	for _, step := range steps[:len(steps)-1] {
		next := n.child(step)
		if next == nil && n.Shape == Object {
			next = &Node{Shape: Object}
			n.Members = append(n.Members, Member{step, next})
		}
		if n = next; n == nil {
			return false
		}
	}
	return n.put(steps[len(steps)-1], value)
}

func (n *Node) put(step string, value *Node) bool {
	if n.Shape == Object {
		for i := range n.Members {
			if n.Members[i].Name == step {
				n.Members[i].Value = value
				return true
			}
		}
		n.Members = append(n.Members, Member{step, value})
		return true
	}
	if i, err := strconv.Atoi(step); n.Shape == Array && err == nil && i >= 0 && i < len(n.Items) {
		n.Items[i] = value
		return true
	}
	return false
}

// Remove takes a member out of its object. It reports whether there was one.
func (n *Node) Remove(p contract.Pointer) bool {
	steps := p.Tokens()
	if len(steps) == 0 {
		return false
	}
	for _, step := range steps[:len(steps)-1] {
		if n = n.child(step); n == nil {
			return false
		}
	}
	for i, m := range n.Members {
		if m.Name == steps[len(steps)-1] {
			n.Members = append(n.Members[:i], n.Members[i+1:]...)
			return true
		}
	}
	return false
}
