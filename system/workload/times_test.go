package workload_test

import (
	"regexp"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

const timed = `
contract: v1
id: berths
topics: {arrivals: {partitions: 1, key: {from: /berth}, payload: arrival}, hours: {partitions: 1, payload: hour}}
envelope: {id: /id, time: /at, data: ""}
payloads:
  arrival:
    schema: {type: object, required: [id, at, berth], properties: {id: {type: string, format: uuid}, at: {type: string, format: date-time, pattern: 'PATTERN'}, berth: {enum: [a, b, c]}}}
    examples: [{id: 0d9c3f9e-6a51-4a8e-9f0e-2f1f6f0c7b11, at: 'EXAMPLE', berth: a}]
  hour: {schema: {type: object}}
groups: {g: {reads: [arrivals]}}
flows:
  arrive: {role: recorder, writes: arrivals}
  count: {role: summarizer, reads: arrivals, group: g, fold: {by: [/berth], window: {of: /at, size: PT1H, zone: America/New_York, into: /hour}, into: {/n: count}}}
  out: {role: summarizer, writes: hours, overwrite-key: [/berth, /hour]}
`

func TestTimesAreWrittenAsTheSchemaWantsThem(t *testing.T) {
	for _, c := range []struct{ pattern, example string }{
		{`\+07:00$`, "2026-03-02T15:15:30+07:00"},
		{`\.[0-9]{3}\+07:00$`, "2026-03-02T15:15:30.000+07:00"},
		{`\+05:30$`, "2026-03-02T15:15:30+05:30"},
		{`-0[45]:00$`, "2026-03-02T15:15:30Z"}, // the window's zone, summer and winter
		{`\.[0-9]{6}Z$`, "2026-03-02T15:15:30.000000Z"},
		{`\.[0-9]{9}Z$`, "2026-03-02T15:15:30.000000000Z"},
		{`\.[0-9]{3}\+00:00$`, "2026-03-02T15:15:30.000+00:00"},
	} {
		doc := parsed(t, timed, "PATTERN", c.pattern, "EXAMPLE", c.example)
		l, err := workload.Make(doc, workload.Options{Seed: 1, Base: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Events: 40})
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		want := regexp.MustCompile(c.pattern)
		for _, e := range l.Valid() {
			if at, _ := contract.Pointer("/at").Text(e.Record); !want.MatchString(at) {
				t.Errorf("%s: %s", c.pattern, at)
			} else if when, err := contract.ParseTime(at); err != nil || !when.Equal(e.At) {
				t.Errorf("%s: %s is %v, %v", c.pattern, at, when, err)
			}
		}
	}
}
