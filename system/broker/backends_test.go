package broker_test

import (
	"flag"
	"testing"

	"tahanuji/system/broker"
	"tahanuji/system/broker/brokertest"
)

var all = flag.Bool("all", false, "run the shared suite on the backends that take minutes, too")

func TestBackendsPassTheSharedSuite(t *testing.T) {
	for _, b := range broker.Backends() {
		t.Run(b.Name, func(t *testing.T) {
			if b.Name != "embedded" && !*all {
				t.Skipf("%s takes minutes: go test ./system/broker -all", b.Name)
			}
			brokertest.Run(t, b)
		})
	}
}
