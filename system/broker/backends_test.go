package broker_test

import (
	"testing"

	"tahanuji/system/broker"
	"tahanuji/system/broker/brokertest"
)

func TestBackendsPassTheSharedSuite(t *testing.T) {
	for _, b := range broker.Backends() {
		t.Run(b.Name, func(t *testing.T) { brokertest.Run(t, b) })
	}
}
