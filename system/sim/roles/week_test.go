package roles

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/workload"
)

const (
	devices = 20
	week    = 7 * 24 * 60 // minutes
)

// reading is the temperature of a device in a minute, in tenths of a degree: some number that differs.
func reading(device, minute int) int { return 200 + (device*37+minute*13+minute/60*7)%150 }

// weekOf makes a load of 20 devices that send each minute, for so many minutes.
func weekOf(base time.Time, minutes int) *workload.Load {
	l := &workload.Load{Flow: "rekam", Role: "recorder", Topic: "m8-suhu-kejadian", Base: base, Events: make([]workload.Event, 0, minutes*devices),
		Sends: make([]workload.Send, 0, minutes*devices)}
	for m := range minutes {
		at := base.Add(time.Duration(m) * time.Minute)
		for d := range devices {
			n := m*devices + d
			id := fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n)
			device := fmt.Sprintf("sensor-%02d", d)
			c := reading(d, m)
			raw := fmt.Sprintf(`{"event_id":"%s","event_type":"sensor.suhu.terbaca","occurred_at":"%s","data":{"id_perangkat":"%s","lantai":%d,"suhu_c":%d.%d}}`,
				id, at.Format(time.RFC3339), device, 1+d%10, c/10, c%10)
			l.Events = append(l.Events, workload.Event{Index: n, Label: workload.Label(n), ID: id, Key: device, Record: []byte(raw), At: at})
		}
	}
	for _, e := range l.Events {
		l.Sends = append(l.Sends, workload.Send{Event: e, Kind: workload.First})
	}
	l.Last = l.Events[len(l.Events)-1].At
	return l
}

// slow are the patiences of a run of days: what idles, idles long.
var slow = model.Timing{Heartbeat: 6 * time.Hour, Session: 12 * time.Hour, FetchWait: 6 * time.Hour, Settle: 30 * time.Minute, Within: 12 * time.Hour}

func runWeek(t testing.TB, minutes int) model.Result {
	t.Helper()
	doc, err := contract.Load("../../sensor/architecture.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cast, err := New(doc)
	if err != nil {
		t.Fatal(err)
	}
	all, err := cast.Timed(Slow()).Roles("")
	if err != nil {
		t.Fatal(err)
	}
	load := weekOf(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), minutes)
	if b, ok := t.(*testing.B); ok {
		b.StartTimer()
	}
	r, err := model.Run(t.Context(), model.Config{Doc: doc, Load: load, Roles: all, Seed: 1, Paced: true, NoLedger: true, NoStored: true, Timing: slow})
	if err != nil {
		t.Fatal(err)
	}
	checkHours(t, r.History, minutes)
	if b, ok := t.(*testing.B); ok {
		b.StopTimer()
	}
	return r
}

// checkHours holds each device-hour's last summary against readings counted anew.
func checkHours(t testing.TB, h *history.History, minutes int) {
	t.Helper()
	last := map[[2]int]string{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Op != history.OpRecord || e.Where.Topic != "m8-suhu-rangkuman" {
			continue
		}
		device, _ := contract.Pointer("/data/id_perangkat").Text([]byte(e.Value))
		hour, _ := contract.Pointer("/data/jam").Text([]byte(e.Value))
		at, err := time.Parse(time.RFC3339, hour)
		d, bad := strconv.Atoi(device[len("sensor-"):])
		if err != nil || bad != nil {
			t.Fatalf("summary %s: %v, %v", e.Value, err, bad)
		}
		last[[2]int{d, int(at.Sub(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)) / time.Hour)}] = e.Value
	}
	for d := range devices {
		for hour := range minutes / 60 {
			sum, lo, hi := 0, 1<<30, 0
			for m := hour * 60; m < hour*60+60; m++ {
				c := reading(d, m)
				sum, lo, hi = sum+c, min(lo, c), max(hi, c)
			}
			raw := []byte(last[[2]int{d, hour}])
			for p, want := range map[contract.Pointer]float64{"/data/jumlah": 60, "/data/suhu_min": float64(lo) / 10, "/data/suhu_maks": float64(hi) / 10,
				"/data/suhu_rata": float64(sum) / 600} {
				got, ok := p.Get(raw)
				if !ok || got.Float() < want-0.0051 || got.Float() > want+0.0051 {
					t.Fatalf("device %d, hour %d: %s is %s, want %g", d, hour, p, got.Raw, want)
				}
			}
		}
	}
}

func TestADayOfTwentyDevicesIsCountedRight(t *testing.T) {
	if r := runWeek(t, 24*60); r.Unsettled != "" {
		t.Error(r.Unsettled)
	}
}

func BenchmarkAWeekOfTwentyDevices(b *testing.B) {
	b.StopTimer()
	b.ReportAllocs()
	for range b.N {
		r := runWeek(b, week)
		b.ReportMetric(float64(r.Took), "steps/op")
	}
}
