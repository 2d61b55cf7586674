package workload_test

import (
	"testing"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

func BenchmarkMake(b *testing.B) {
	for name, path := range map[string]string{"sensor": sensor, "toko": toko} {
		doc, err := contract.Load(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				if _, err := workload.Make(doc, workload.Options{Seed: uint64(i), Base: base}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkIdentify(b *testing.B) {
	doc, err := contract.Load(sensor)
	if err != nil {
		b.Fatal(err)
	}
	l, err := workload.Make(doc, workload.Options{Seed: 1, Base: base})
	if err != nil {
		b.Fatal(err)
	}
	label := workload.Identify(doc, l)
	valid := l.Valid()
	b.ReportAllocs()
	for i := range b.N {
		if label(l.Topic, valid[i%len(valid)].Record) == "" {
			b.Fatal("an event was not known")
		}
	}
}
