package payload_test

import "testing"

// For any bytes: nothing panics, and the quick way and the full check agree.
func FuzzTheQuickWayAndTheFullCheckAgree(f *testing.F) {
	for _, s := range []string{record("", ""), record("24.5", "1e999999"), record("sensor-07", `sensor-\u0030\u0037`), record("08:30:00Z", "23:59:60Z"),
		record(`"floor":3`, `"floor":3,"floor":3`), `[]`, `{"a":[{"b":1}]}`, "\xff", `{"id":"\ud800"}`} {
		f.Add([]byte(s))
	}
	k := checker(f, schema)
	f.Fuzz(func(t *testing.T, raw []byte) {
		ok, _ := k.Read(raw, nil)
		if refused := k.Check(raw); ok != (len(refused) == 0) {
			t.Errorf("%q: the quick way says %v, the full check %v", raw, ok, refused)
		}
	})
}
