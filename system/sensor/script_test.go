package sensor

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// script is the source's own check, cek_envelope and cek_skema, in Go: the names of the fields that it refuses, in its order. It is
// here to show where it differs from the source's text, and judges nothing. Numbers and truths behave as they do in Python: True is
// an instance of int, a number with a point is not.
func script(t testing.TB, event string) []string {
	t.Helper()
	var message map[string]any
	d := json.NewDecoder(strings.NewReader(event))
	d.UseNumber()
	if err := d.Decode(&message); err != nil {
		t.Fatal(err)
	}
	var wrong []string
	check := func(name string, ok bool) {
		if !ok {
			wrong = append(wrong, name)
		}
	}
	check("event_id", scriptID.MatchString(str(message["event_id"])))
	check("event_type", scriptType.MatchString(str(message["event_type"])))
	check("occurred_at", fromISOFormat(strings.ReplaceAll(str(message["occurred_at"]), "Z", "+00:00")))
	data, _ := message["data"].(map[string]any)
	check("id_perangkat", scriptDevice.MatchString(str(data["id_perangkat"])))
	_, heat, isNumber := number(data["suhu_c"])
	check("suhu_c", isNumber && -40 <= heat && heat <= 60)
	isInt, floor, _ := number(data["lantai"])
	check("lantai", isInt && 1 <= floor && floor <= 10)
	return wrong
}

// Python's fullmatch: \A and \z round the source's expressions.
var (
	scriptID     = regexp.MustCompile(`\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z`)
	scriptType   = regexp.MustCompile(`\A[a-z0-9]+(\.[a-z0-9]+)+\z`)
	scriptDevice = regexp.MustCompile(`\Asensor-[0-9]{2}\z`)
	isoTime      = regexp.MustCompile(`\A(\d{4}-\d{2}-\d{2}|\d{8})(?:.(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:[+-]\d{2}:\d{2})?)?\z`)
)

// str is Python's str(pesan.get(name, "")).
func str(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// number is a value as Python's isinstance sees it.
func number(value any) (isInt bool, v float64, isNumber bool) {
	switch n := value.(type) {
	case bool:
		if n {
			v = 1
		}
		return true, v, true
	case json.Number:
		v, err := n.Float64()
		return !strings.ContainsAny(n.String(), ".eE"), v, err == nil
	}
	return false, 0, false
}

// fromISOFormat says whether Python's datetime.fromisoformat (3.11 and later) takes a text: a date, or a date, any one character and
// a time down to the hour, with or without an offset.
func fromISOFormat(text string) bool {
	m := isoTime.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if _, err := time.Parse("20060102", strings.ReplaceAll(m[1], "-", "")); err != nil {
		return false
	}
	for i, most := range []int{23, 59, 59} {
		if v, _ := strconv.Atoi("0" + m[i+2]); v > most {
			return false
		}
	}
	return true
}
