// Package golden reads golden histories: short texts that a person can read without tools, each of which says in its first line what
// a checker must find in it. It judges nothing. The form is described in README.md beside it.
package golden

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Want is what a golden history must be found to be.
type Want struct {
	Clause  contract.ID
	Outcome check.Outcome
	Found   int // findings of a broken clause, things examined of one that holds; 0 otherwise
}

// File is a golden history with what is wanted of it.
type File struct {
	Title string // the comment at its head: a sentence
	Want  Want
	Input *check.Input
}

// Read reads a golden history of a document. An error names the line.
func Read(doc *contract.Document, text []byte) (*File, error) {
	p := &parser{doc: doc, file: &File{Input: &check.Input{Doc: doc, History: &history.History{}, Lacks: map[contract.Feature]string{}}}, records: map[string]string{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if err := p.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch {
	case p.file.Title == "":
		return nil, fmt.Errorf("line 1: the file does not begin with its sentence (# ...)")
	case p.file.Want.Clause == "":
		return nil, fmt.Errorf("line 2: no want line")
	}
	return p.file, lines.Err()
}

type parser struct {
	doc     *contract.Document
	file    *File
	records map[string]string // by name
	clock   time.Duration
	open    map[string]history.Seq // sends that were begun, by name
}

// verbs are the kinds of lines. Each gets the words after the verb.
var verbs = map[string]func(p *parser, l *words) error{
	"want": (*parser).want, "lacks": (*parser).lacks, "at": (*parser).at,
	"event": (*parser).event, "raw": (*parser).raw,
	"send": (*parser).send, "begin": (*parser).begin, "answer": (*parser).answer, "poison": (*parser).poison,
	"record": (*parser).record, "summary": (*parser).summary,
	"topic": (*parser).topic, "committed": (*parser).committed, "end": (*parser).end,
	"rows": (*parser).rows, "row": (*parser).row, "stored": (*parser).stored,
	"lag": (*parser).lag, "phase": (*parser).phase, "role": (*parser).role, "fault": (*parser).fault,
	"exchange": (*parser).exchange, "+": (*parser).item,
}

func (p *parser) line(text string) error {
	text = strings.TrimSpace(text)
	if comment, ok := strings.CutPrefix(text, "#"); ok {
		if p.file.Title == "" {
			p.file.Title = strings.TrimSpace(comment)
		}
		return nil
	}
	if text == "" {
		return nil
	}
	verb, rest, _ := strings.Cut(text, " ")
	do := verbs[verb]
	if do == nil {
		return fmt.Errorf("%q is no kind of line", verb)
	}
	if p.file.Want.Clause == "" && verb != "want" {
		return fmt.Errorf("the first line after the sentence is want")
	}
	w := &words{rest: strings.TrimSpace(rest)}
	err := do(p, w)
	if w.err != nil {
		err = w.err // what follows from a missing word is no news
	}
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	if w.rest != "" {
		return fmt.Errorf("%s: %q is too much", verb, w.rest)
	}
	return nil
}

// add records an event a millisecond after the last.
func (p *parser) add(e history.Event) history.Seq {
	p.clock += time.Millisecond
	e.Seq, e.At = history.Seq(len(p.file.Input.History.Events)+1), p.clock
	p.file.Input.History.Events = append(p.file.Input.History.Events, e)
	return e.Seq
}

func (p *parser) want(w *words) error {
	if p.file.Want.Clause != "" {
		return fmt.Errorf("it stands twice")
	}
	p.file.Want = Want{Clause: contract.ID(w.word("clause")), Outcome: check.Outcome(w.word("outcome"))}
	switch p.file.Want.Outcome {
	case check.Broken, check.Holds:
		p.file.Want.Found = int(w.number("count"))
	case check.Inconclusive, check.NotApplicable:
	case check.Unset, check.NotRun, check.Waived:
		return fmt.Errorf("%q is nothing that a checker says", p.file.Want.Outcome)
	default:
		return fmt.Errorf("%q is no outcome", p.file.Want.Outcome)
	}
	return nil
}

func (p *parser) lacks(w *words) error {
	p.file.Input.Lacks[contract.Feature(w.word("feature"))] = w.all()
	return nil
}

func (p *parser) at(w *words) error {
	text := w.word("time")
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if d < p.clock {
		return fmt.Errorf("%s is before the line above", text)
	}
	p.clock = d
	return nil
}

// words of a line, taken one by one; the first error is kept.
type words struct {
	rest string
	err  error
}

func (w *words) word(what string) string {
	word, rest, _ := strings.Cut(w.rest, " ")
	w.rest = strings.TrimSpace(rest)
	if word == "" && w.err == nil {
		w.err = fmt.Errorf("the %s is missing", what)
	}
	return word
}

func (w *words) number(what string) int64 {
	text := w.word(what)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s %q is no number", what, text)
	}
	return n
}

// all is the rest of the line.
func (w *words) all() string {
	text := w.rest
	w.rest = ""
	return text
}

// options takes NAME=VALUE words and bare flags off the end of the line; known names what is allowed.
func (w *words) options(known ...string) map[string]string {
	given := map[string]string{}
	for w.rest != "" {
		name, value, _ := strings.Cut(w.word("option"), "=")
		ok := false
		for _, k := range known {
			ok = ok || k == name
		}
		if !ok && w.err == nil {
			w.err = fmt.Errorf("option %q is not one of %s", name, strings.Join(known, ", "))
		}
		given[name] = value
	}
	return given
}

// place reads TOPIC/PARTITION@OFFSET.
func (w *words) place() *history.Position {
	text := w.word("place")
	topic, rest, ok := strings.Cut(text, "/")
	partition, offset, ok2 := strings.Cut(rest, "@")
	p, err := strconv.ParseInt(partition, 10, 32)
	o, err2 := strconv.ParseInt(offset, 10, 64)
	if (!ok || !ok2 || err != nil || err2 != nil) && w.err == nil {
		w.err = fmt.Errorf("%q is no place such as kejadian/0@17", text)
	}
	return &history.Position{Topic: topic, Partition: int32(p), Offset: o}
}
