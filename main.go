// Tahanuji checks an event-driven system on Kafka against the architecture document that its architects wrote, while it hurts
// the system on purpose. See README.md.
package main

import (
	"context"
	_ "embed"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"tahanuji/scenarios/command"
)

// gcPercent trades memory for time: a sitting makes much garbage, and keeps little (under 500 MB for all profiles).
const gcPercent = 300

//go:embed ginkgo.yml
var profiles []byte

// program is how this one is called: go run builds it under a name of its own.
func program(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return ""
	}
	return arg0
}

func main() {
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := os.Getwd()
	if err != nil {
		root = "."
	}
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	exit := command.Main(ctx, command.World{
		Out: os.Stdout, Err: os.Stderr, Lookup: os.LookupEnv, Root: root, Now: time.Now(), Profiles: profiles, Program: program(os.Args[0]), Terminal: terminal,
	}, os.Args[1:])
	stop()
	os.Exit(exit)
}
