// Command summarizer runs one member of the group that folds events into summaries. It serves nothing.
package main

import (
	"context"
	"os"

	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/process"
)

func main() { os.Exit(process.Main("summarizer", run)) }

func run(ctx context.Context, s process.Settings) error {
	c, flaws, err := s.Roles()
	if err != nil {
		return err
	}
	if s.Group != "" {
		c.SummarizerGroup = s.Group
	}
	m, err := sensor.NewSummarizer(s.Kafka("summarizer"), c, flaws)
	if err != nil {
		return err
	}
	return m.Run(ctx)
}
