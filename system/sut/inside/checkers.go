package inside

import (
	"fmt"

	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/payload"
)

// Checkers compile each payload once for all roles of a run.
type Checkers struct{ made map[string]*payload.Checker }

// NewCheckers has compiled nothing yet.
func NewCheckers() *Checkers { return &Checkers{map[string]*payload.Checker{}} }

// Share gives a configuration the compiled payloads of its topics.
func (c *Checkers) Share(config *sensor.Config) error {
	for _, t := range []*sensor.Topic{&config.Events, &config.Summaries} {
		if c.made[t.Name] == nil {
			made, err := payload.NewChecker(t.Payload)
			if err != nil {
				return fmt.Errorf("inside: payload of %s: %w", t.Name, err)
			}
			c.made[t.Name] = made
		}
		t.Payload.Shared = c.made[t.Name]
	}
	return nil
}
