// Command display shows the last summary per key: a page at /, JSON at /rows. It writes nothing but its group's offsets.
package main

import (
	"context"
	"os"

	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/process"
)

func main() { os.Exit(process.Main("display", run)) }

func run(ctx context.Context, s process.Settings) error {
	c, flaws, err := s.Roles()
	if err != nil {
		return err
	}
	if s.Group != "" {
		c.DisplayGroup = s.Group
	}
	d, err := sensor.NewDisplay(s.Kafka("display"), c, flaws)
	if err != nil {
		return err
	}
	return process.Serve(ctx, s, d.Handler(), d.Run)
}
