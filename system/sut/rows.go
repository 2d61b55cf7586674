package sut

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tahanuji/system/contract"
	"tahanuji/system/sut/services"
)

// pageLimit bounds the pages of one question to a display.
const pageLimit = 10_000

// Rows asks each running instance of a display what it shows; a row that several show alike counts once.
func (s *commands) Rows(ctx context.Context, role string) ([]Row, error) {
	r := s.role(role)
	if r == nil && s.rest != nil {
		return s.rest.Rows(ctx, role)
	}
	if r == nil || r.form.Rows == nil {
		return nil, fmt.Errorf("sut: rows of %s: sut.yaml has no rows for it", role)
	}
	var out []Row
	seen := map[string]bool{}
	asked := 0
	for _, in := range r.all() {
		if !in.running() {
			continue
		}
		asked++
		rows, err := in.rows(ctx)
		if err != nil {
			return nil, fmt.Errorf("sut: rows of %s: %w; %s", in.proc(), err, in.log.Tail())
		}
		for _, row := range rows {
			id := strings.Join(row.Key, "\x00") + "\x00\x00" + string(row.Value)
			if !seen[id] {
				seen[id] = true
				out = append(out, row)
			}
		}
	}
	if asked == 0 {
		return nil, fmt.Errorf("sut: rows of %s: none of its instances runs", role)
	}
	return out, nil
}

func (in *instance) rows(ctx context.Context) ([]Row, error) {
	form := in.role.form.Rows
	ctx, cancel := context.WithTimeout(ctx, form.Within)
	defer cancel()
	shown, _ := services.Shown(in.role.system.env.Doc, in.role.Name())
	depth := len(shown.OverwriteKey)
	if form.HTTP == nil {
		answer, _, err := in.ask(ctx, map[string]json.RawMessage{"rows": json.RawMessage("true")})
		if err != nil {
			return nil, err
		}
		rows, ok := contract.Pointer("/rows").Get(answer)
		if !ok {
			return nil, fmt.Errorf("the answer has no rows: %s", short(answer))
		}
		return readRows(form, depth, []byte(rows.Raw))
	}
	var out []Row
	page, seen := "", map[string]bool{}
	for range pageLimit {
		status, answer, _, err := in.request(ctx, form.HTTP, page, nil)
		switch {
		case err != nil:
			return nil, err
		case status != http.StatusOK:
			return nil, fmt.Errorf("status %d: %s", status, short(answer))
		case !json.Valid(answer):
			return nil, fmt.Errorf("the answer is no JSON: %s", short(answer))
		}
		rows, err := readRows(form, depth, answer)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
		if page, err = in.nextPage(form, page, answer); err != nil || page == "" {
			return out, err
		}
		if seen[page] {
			return nil, fmt.Errorf("page %s comes a second time", page)
		}
		seen[page] = true
	}
	return nil, fmt.Errorf("more than %d pages", pageLimit)
}

// nextPage is the URL of the next page, "" after the last.
func (in *instance) nextPage(form *services.Rows, page string, answer []byte) (string, error) {
	if form.Next == nil {
		return "", nil
	}
	next, ok := form.Next.Get(answer)
	if !ok || next.String() == "" {
		return "", nil
	}
	if page == "" {
		in.mu.Lock()
		page = services.Expand(form.HTTP.URL.Value, in.value)
		in.mu.Unlock()
	}
	base, err := url.Parse(page)
	if err != nil {
		return "", fmt.Errorf("the page's own URL: %w", err)
	}
	to, err := base.Parse(next.String())
	if err != nil {
		return "", fmt.Errorf("next page: %w", err)
	}
	if to.Host != base.Host {
		return "", fmt.Errorf("next page %s is not on %s", to, base.Host)
	}
	return to.String(), nil
}

// readRows takes the rows out of an answer; depth is the number of the key's fields.
func readRows(form *services.Rows, depth int, answer []byte) ([]Row, error) {
	at, ok := form.At.Get(answer)
	if !ok {
		return nil, fmt.Errorf("nothing at %q of the answer: %s", string(form.At), short(answer))
	}
	var out []Row
	if form.Nested {
		err := nested(form, depth, nil, at, &out)
		return out, err
	}
	if !at.IsArray() {
		return nil, fmt.Errorf("%q of the answer is no array: %s", string(form.At), short([]byte(at.Raw)))
	}
	for i, item := range at.Array() {
		key := make([]string, len(form.Key))
		for j, p := range form.Key {
			v, ok := p.Get([]byte(item.Raw))
			if !ok || v.IsObject() || v.IsArray() {
				return nil, fmt.Errorf("row %d names no key at %s: %s", i, p, short([]byte(item.Raw)))
			}
			key[j] = scalar(v)
		}
		row, err := readRow(form, key, item)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func nested(form *services.Rows, depth int, key []string, at gjson.Result, out *[]Row) error {
	if len(key) == depth {
		row, err := readRow(form, key, at)
		*out = append(*out, row)
		return err
	}
	if !at.IsObject() {
		return fmt.Errorf("below %q a map is expected: %s", key, short([]byte(at.Raw)))
	}
	var err error
	at.ForEach(func(name, value gjson.Result) bool {
		err = nested(form, depth, append(slices.Clone(key), name.String()), value, out)
		return err == nil
	})
	return err
}

// scalar is a key's text: a string's content, anything else as it is written.
func scalar(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	return v.Raw
}

var errNoRow = errors.New("a row is no object")

func readRow(form *services.Rows, key []string, row gjson.Result) (Row, error) {
	if form.Value == nil {
		if !row.IsObject() {
			return Row{}, fmt.Errorf("%w: %s", errNoRow, short([]byte(row.Raw)))
		}
		return Row{Key: key, Value: json.RawMessage(row.Raw)}, nil
	}
	value := map[string]json.RawMessage{}
	for _, field := range slices.Sorted(maps.Keys(form.Value)) {
		v, ok := form.Value[field].Get([]byte(row.Raw))
		if ok {
			value[string(field)] = json.RawMessage(v.Raw)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return Row{}, fmt.Errorf("row %q: %w", key, err)
	}
	return Row{Key: key, Value: text, ByField: true}, nil
}
