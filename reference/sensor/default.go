package sensor

import (
	"encoding/json"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"
)

// Default is what the sensor system's architecture document says (topic map, payloads, delivery contract).
func Default() Config {
	const device, reading = payload.Pointer("/data/id_perangkat"), payload.Pointer("/data/suhu_c")
	strict := port.ProducerConfig{Acks: -1, Idempotent: true}
	utc := &payload.TimeRule{At: "/occurred_at", Zone: "Z"}
	return Config{
		Events: Topic{Name: "m8-suhu-kejadian", Key: device,
			Payload: payload.Config{Schema: json.RawMessage(eventSchema), UniqueNames: true, Time: utc}},
		Summaries: Topic{Name: "m8-suhu-rangkuman", Key: device,
			Payload: payload.Config{Schema: json.RawMessage(summarySchema), UniqueNames: true, Time: utc}},
		Envelope:         Envelope{ID: "/event_id", Type: "/event_type", Time: "/occurred_at", Data: "/data"},
		SummaryType:      "sensor.suhu.dirangkum",
		SummarizerGroup:  "perekap",
		DisplayGroup:     "tampilan",
		RecorderProducer: strict, SummarizerProducer: strict,
		Fold: fold.Config{
			By:      []payload.Pointer{device},
			Window:  fold.Window{Of: "/occurred_at", Size: time.Hour, Zone: "UTC", Into: "/data/jam", As: fold.Time, Grace: 5 * time.Minute},
			Silence: 2 * time.Minute,
			Into: []fold.Aggregate{
				{Into: "/data/jumlah", Op: fold.Count},
				{Into: "/data/suhu_min", Op: fold.Min, Of: reading},
				{Into: "/data/suhu_maks", Op: fold.Max, Of: reading},
				{Into: "/data/suhu_rata", Op: fold.Mean, Of: reading, Decimals: 2},
			},
		},
		OverwriteKey: []payload.Pointer{device, "/data/jam"},
		Dedupe:       Dedupe{By: "/event_id", Window: 7 * 24 * time.Hour},
		Timing:       DefaultTiming(),
	}
}

const eventSchema = `{
  "type": "object",
  "required": ["event_id", "event_type", "occurred_at", "data"],
  "properties": {
    "event_id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
    "event_type": {"type": "string", "pattern": "^[a-z0-9]+(\\.[a-z0-9]+)+$", "const": "sensor.suhu.terbaca"},
    "occurred_at": {"type": "string", "format": "date-time"},
    "data": {
      "type": "object",
      "required": ["id_perangkat", "lantai", "suhu_c"],
      "properties": {
        "id_perangkat": {"type": "string", "pattern": "^sensor-[0-9]{2}$"},
        "lantai": {"type": "integer", "minimum": 1, "maximum": 10},
        "suhu_c": {"type": "number", "minimum": -40, "maximum": 60}
      }
    }
  }
}`

const summarySchema = `{
  "type": "object",
  "required": ["event_id", "event_type", "occurred_at", "data"],
  "properties": {
    "event_id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
    "event_type": {"type": "string", "pattern": "^[a-z0-9]+(\\.[a-z0-9]+)+$"},
    "occurred_at": {"type": "string", "format": "date-time"},
    "data": {
      "type": "object",
      "required": ["id_perangkat", "jam", "jumlah", "suhu_min", "suhu_maks", "suhu_rata"],
      "properties": {
        "id_perangkat": {"type": "string", "pattern": "^sensor-[0-9]{2}$"},
        "jam": {"type": "string", "format": "date-time"},
        "jumlah": {"type": "integer", "minimum": 1},
        "suhu_min": {"type": "number", "minimum": -40, "maximum": 60},
        "suhu_maks": {"type": "number", "minimum": -40, "maximum": 60},
        "suhu_rata": {"type": "number", "minimum": -40, "maximum": 60}
      }
    }
  }
}`
