// Command recorder takes events over HTTP (POST /events) and sends them to Kafka through a durable outbox.
package main

import (
	"context"
	"os"

	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/process"
)

func main() { os.Exit(process.Main("recorder", run)) }

func run(ctx context.Context, s process.Settings) error {
	c, flaws, err := s.Roles()
	if err != nil {
		return err
	}
	r, err := sensor.NewRecorder(s.Kafka("recorder"), c, flaws)
	if err != nil {
		return err
	}
	return process.Serve(ctx, s, r.Handler(), r.Run)
}
