// Package process is what the three commands share: settings from flags and the environment, the port on Kafka with a
// SQLite store, the end by SIGTERM. It holds nothing of what roles do.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/kafka"
	"tahanuji/reference/port/postgres"
	"tahanuji/reference/port/sqlite"
	"tahanuji/reference/sensor"
)

// Settings of a role's process. Each flag may come from the environment variable of its name in capitals.
type Settings struct {
	Bootstrap string // host:port, several joined with ","
	Events    string // topic; "" as configured
	Summaries string // topic; "" as configured
	Group     string // consumer group of this role; "" as configured
	State     string // folder that outlives the process, one for all instances of the role
	Postgres  string // URL of a database; "" keeps state in SQLite files in State
	Port      int    // of the role's HTTP server on 127.0.0.1
	Instance  int    // from 1
	Config    string // JSON file of a sensor.Config; "" the sensor system's
	Flaw      string // names joined with ","
}

// Parse reads flags, and the environment for those that are not given.
func Parse(args []string, getenv func(string) string) (Settings, error) {
	s := Settings{}
	f := flag.NewFlagSet("role", flag.ContinueOnError)
	text := func(at *string, name, use, otherwise string) {
		f.StringVar(at, name, otherwise, use+" ($"+strings.ToUpper(name)+")")
	}
	text(&s.Bootstrap, "bootstrap", "addresses of Kafka, host:port,...", "127.0.0.1:9092")
	text(&s.Events, "events", "topic of events", "")
	text(&s.Summaries, "summaries", "topic of summaries", "")
	text(&s.Group, "group", "consumer group", "")
	text(&s.State, "state", "folder that outlives the process", ".")
	text(&s.Postgres, "postgres", "URL of a PostgreSQL database for state, instead of files in -state", "")
	text(&s.Config, "config", "JSON file of the roles' configuration", "")
	text(&s.Flaw, "flaw", "flaws to switch on, joined with \",\"", "")
	f.IntVar(&s.Port, "port", 0, "port of the HTTP server on 127.0.0.1, 0: any ($PORT)")
	f.IntVar(&s.Instance, "instance", 1, "number of this instance, from 1 ($INSTANCE)")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })
	var bad error
	f.VisitAll(func(g *flag.Flag) {
		if v := getenv(strings.ToUpper(g.Name)); v != "" && !given[g.Name] {
			if err := g.Value.Set(v); err != nil {
				bad = errors.Join(bad, fmt.Errorf("settings: %s=%q: %w", strings.ToUpper(g.Name), v, err))
			}
		}
	})
	if s.Instance < 1 {
		bad = errors.Join(bad, fmt.Errorf("settings: instance %d: they count from 1", s.Instance))
	}
	return s, bad
}

// Roles gives the roles' configuration and flaws.
func (s Settings) Roles() (sensor.Config, sensor.Flaws, error) {
	c := sensor.Default()
	if s.Config != "" {
		raw, err := os.ReadFile(s.Config)
		if err != nil {
			return c, nil, fmt.Errorf("settings: %w", err)
		}
		c = sensor.Config{}
		if err := json.Unmarshal(raw, &c); err != nil {
			return c, nil, fmt.Errorf("settings: %s: %w", s.Config, err)
		}
	}
	for _, f := range []struct {
		at   *string
		with string
	}{{&c.Events.Name, s.Events}, {&c.Summaries.Name, s.Summaries}} {
		if f.with != "" {
			*f.at = f.with
		}
	}
	flaws, err := sensor.NewFlaws(strings.Split(s.Flaw, ",")...)
	return c, flaws, err
}

// Kafka is the role's port: one store for all instances, and one for each of them.
func (s Settings) Kafka(role string) *kafka.Port {
	return kafka.New(kafka.Config{
		Bootstrap: strings.Split(s.Bootstrap, ","),
		ClientID:  role + "-" + strconv.Itoa(s.Instance),
		Instance:  s.Instance,
		OpenStore: func(ctx context.Context, shared bool) (port.Store, error) {
			name := "shared"
			if !shared {
				name = "instance-" + strconv.Itoa(s.Instance)
			}
			if s.Postgres != "" {
				return postgres.Open(ctx, postgres.Config{URL: s.Postgres, Name: role + "/" + name})
			}
			if err := os.MkdirAll(s.State, 0o755); err != nil {
				return nil, err
			}
			return sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(s.State, name+".db")})
		},
	})
}

// Main runs a role until SIGTERM or SIGINT and returns the exit code: 0 after a clean stop, 1 after an error, 2 for
// settings that are refused.
func Main(role string, run func(ctx context.Context, s Settings) error) int {
	s, err := Parse(os.Args[1:], os.Getenv)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		return 1
	}
	return 0
}

// stopWithin is how long an HTTP server may finish its requests.
const stopWithin = 3 * time.Second
