package jsonscan

func (s *scanner) object(n *node, depth int) bool {
	s.i++
	s.space()
	if s.peek('}') {
		return true
	}
	for {
		start := s.i
		if s.i >= len(s.text) || s.text[s.i] != '"' || !s.str() {
			return false
		}
		child := s.named(n, Value{Kind: String, Raw: s.text[start:s.i]})
		s.space()
		if !s.peek(':') {
			return false
		}
		s.space()
		s.forget(child)
		if !s.value(child, depth+1) {
			return false
		}
		s.space()
		if s.peek('}') {
			return true
		}
		if !s.peek(',') {
			return false
		}
		s.space()
	}
}

func (s *scanner) named(n *node, name Value) *node {
	if n == nil || len(n.names) == 0 {
		return nil
	}
	return n.child(name.Text())
}

// forget drops what an earlier member of the same name left below n.
func (s *scanner) forget(n *node) {
	if n == nil {
		return
	}
	for _, at := range n.at {
		s.out[at] = Value{}
	}
	for _, c := range n.children {
		s.forget(c)
	}
}

func (s *scanner) array(n *node, depth int) bool {
	s.i++
	s.space()
	if s.peek(']') {
		return true
	}
	for i := 0; ; i++ {
		var child *node
		if n != nil {
			child = n.element(i)
		}
		if !s.value(child, depth+1) {
			return false
		}
		s.space()
		if s.peek(']') {
			return true
		}
		if !s.peek(',') {
			return false
		}
		s.space()
	}
}

// peek steps over c if it stands here.
func (s *scanner) peek(c byte) bool {
	if s.i < len(s.text) && s.text[s.i] == c {
		s.i++
		return true
	}
	return false
}
