package contract

import "time"

func Lint(d *Document, now time.Time) Faults { return nil }
