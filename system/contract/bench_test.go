package contract_test

import (
	"testing"
	"time"

	"tahanuji/system/contract"
)

func BenchmarkLoadAndLintTheSensorDocument(b *testing.B) {
	for b.Loop() {
		contract.Lint(load(b, sensorFile), time.Time{})
	}
}

func BenchmarkStartOfAWindow(b *testing.B) {
	at := moment(b, "2026-11-07T08:30:00Z")
	for _, file := range []string{sensorFile, shopFile} {
		w := load(b, file).Folds()[0].Fold.Window
		b.Run(w.Zone, func(b *testing.B) {
			for b.Loop() {
				w.Start(at)
			}
		})
	}
}

func BenchmarkAFieldOfARecord(b *testing.B) {
	record := load(b, sensorFile).Payload("suhu-terbaca").Examples[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := contract.Pointer("/data/suhu_c").Get(record); !ok {
			b.Fatal("not found")
		}
	}
}
