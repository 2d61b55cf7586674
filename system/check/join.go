package check

import (
	"slices"

	"tahanuji/system/history"
)

// join tells each record of the rest scan which event it is: by the id that the source set, by the id that an answer named, and
// where the role sets ids by the record without its id.
func (ix *Index) join() {
	ix.markPoison()
	named := map[string]*Sent{} // ids that answers named, for events whose id the role set
	bodies := false
	for _, s := range ix.Sent {
		if s.Topic == nil || s.Invalid {
			continue
		}
		s.Topic.Sent = append(s.Topic.Sent, s)
		if s.ID != "" {
			if _, twice := s.Topic.sentByID[s.ID]; !twice {
				s.Topic.sentByID[s.ID] = s
			}
			continue
		}
		bodies = true
		for _, try := range s.Tries {
			if try.Answer != nil && try.Outcome() == history.OK && try.Answer.Value != "" {
				named[try.Answer.Value] = s
			}
		}
	}
	for _, t := range ix.Topics {
		ix.joinTopic(t, named)
		if bodies && t.FromSource {
			ix.joinBodies(t)
		}
		if t.FromSource {
			ix.markBroken(t)
			ix.markLike(t)
		}
		for i := range t.Records {
			if r := &t.Records[i]; r.Sent != nil {
				r.Sent.Records = append(r.Sent.Records, r)
			}
		}
	}
}

func (ix *Index) joinTopic(t *Topic, named map[string]*Sent) {
	seen := make(map[string]struct{}, len(t.Records))
	for i := range t.Records {
		r := &t.Records[i]
		if r.ID == "" || r.State == Malformed || r.Poison {
			continue
		}
		if _, again := seen[r.ID]; again {
			r.Repeat = true
		} else {
			seen[r.ID] = struct{}{}
		}
		if !t.FromSource {
			continue
		}
		if r.Sent = t.sentByID[r.ID]; r.Sent == nil {
			r.Sent = named[r.ID]
		}
	}
}

// joinBodies pairs records whose id nobody named with events of the same body.
func (ix *Index) joinBodies(t *Topic) {
	bodies, shapes := ix.bodies(t)
	given := map[string]*Sent{} // by id
	ids := map[*Sent]int{}
	for i := range t.Records {
		r := &t.Records[i]
		if r.Sent != nil && given[r.ID] == nil {
			given[r.ID] = r.Sent
			ids[r.Sent]++
		}
	}
	for i := range t.Records {
		r := &t.Records[i]
		if r.Sent != nil || r.State == Malformed || r.Poison {
			continue
		}
		if s := given[r.ID]; s != nil && r.ID != "" {
			r.Sent = s
			continue
		}
		for _, sh := range shapes {
			if all := bodies[sh.body(ix.in.Doc.Envelope, r.Event.Value)]; len(all) > 0 {
				r.Sent = owner(all, ids)
				ids[r.Sent]++
				given[r.ID] = r.Sent
				break
			}
		}
	}
}

// owner of one more id, of events with one body: the first that was recorded and has none, else the first that was accepted more
// often than it has ids, else the last.
func owner(all []*Sent, ids map[*Sent]int) *Sent {
	at := slices.IndexFunc(all, func(s *Sent) bool { return s.Recorded != nil && ids[s] == 0 })
	if at < 0 {
		at = slices.IndexFunc(all, func(s *Sent) bool { return ids[s] < s.Accepted() })
	}
	if at < 0 {
		at = len(all) - 1
	}
	return all[at]
}

// bodies are the events without an id of the source by body, with the shapes that they have, and each event learns its twins.
func (ix *Index) bodies(t *Topic) (map[string][]*Sent, []shape) {
	env := ix.in.Doc.Envelope
	byBody := map[string][]*Sent{}
	var shapes []shape
	for _, s := range t.Sent {
		if s.ID != "" {
			continue
		}
		sh, ok := shapeOf(env, s.Tries[0].Invoke.Value)
		if !ok {
			continue
		}
		if !slices.Contains(shapes, sh) {
			shapes = append(shapes, sh)
		}
		body := sh.body(env, s.Tries[0].Invoke.Value)
		byBody[body] = append(byBody[body], s)
	}
	for _, all := range byBody {
		if len(all) < 2 {
			continue
		}
		for _, s := range all {
			s.Twins = all
		}
	}
	return byBody, shapes
}

func (ix *Index) markPoison() {
	for _, p := range ix.Poison {
		for _, t := range ix.Topics {
			if p.Where != nil && p.Where.Topic != t.Doc.Name {
				continue
			}
			if p.Where != nil {
				if r := t.At(p.Where.Partition, p.Where.Offset); r != nil && r.Event.Value == p.Event.Value {
					r.Poison = true
					continue
				}
			}
			for i := range t.Records {
				if r := &t.Records[i]; r.State != Valid && r.Event.Value == p.Event.Value {
					r.Poison = true
				}
			}
		}
	}
}

// markBroken finds the records of a topic that are events which the source broke on purpose: by bytes, by an id that no good
// event has, or by the record without its id.
func (ix *Index) markBroken(t *Topic) {
	env := ix.in.Doc.Envelope
	byValue, byID, byBody := map[string]*Sent{}, map[string]*Sent{}, map[string]*Sent{}
	for _, s := range ix.Sent {
		if !s.Invalid || s.Topic != t {
			continue
		}
		value := s.Tries[0].Invoke.Value
		byValue[value] = s
		if s.ID != "" && t.sentByID[s.ID] == nil {
			byID[s.ID] = s
		}
		if body := whole.body(env, value); body != "" {
			byBody[body] = s
		}
	}
	if len(byValue) == 0 {
		return
	}
	for i := range t.Records {
		r := &t.Records[i]
		if r.Poison {
			continue
		}
		r.Broken = byValue[r.Event.Value]
		if r.Broken == nil && r.ID != "" {
			r.Broken = byID[r.ID]
		}
		if r.Broken == nil && r.State == Invalid {
			r.Broken = byBody[whole.body(env, r.Event.Value)]
		}
	}
}

// markLike finds for each record that nobody sent an event whose record without its id is the same: what a role sent under another
// id.
func (ix *Index) markLike(t *Topic) {
	env := ix.in.Doc.Envelope
	var byBody map[string]*Sent
	for i := range t.Records {
		r := &t.Records[i]
		if r.Sent != nil || r.Broken != nil || r.Poison || r.State == Malformed {
			continue
		}
		if byBody == nil {
			byBody = make(map[string]*Sent, len(t.Sent))
			for _, s := range t.Sent {
				body := whole.body(env, s.Tries[0].Invoke.Value)
				if _, twice := byBody[body]; !twice && body != "" {
					byBody[body] = s
				}
			}
		}
		r.Like = byBody[whole.body(env, r.Event.Value)]
	}
}
