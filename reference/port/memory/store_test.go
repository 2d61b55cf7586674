package memory_test

import (
	"testing"

	"tahanuji/reference/port"
	"tahanuji/reference/port/memory"
	"tahanuji/reference/port/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() port.Store {
		s := memory.New()
		return func() port.Store { return s }
	})
}
