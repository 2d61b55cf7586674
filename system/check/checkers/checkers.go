// Package checkers lists the checkers of all clauses. It holds no rule of its own.
package checkers

import (
	"tahanuji/system/check"
	"tahanuji/system/check/delivery"
	"tahanuji/system/check/groups"
	"tahanuji/system/check/summary"
	"tahanuji/system/check/topics"
	"tahanuji/system/check/wire"
)

// All are the checkers, sorted by name. A checker's file, its name and its folder of golden histories are called alike.
func All() []check.Checker {
	return []check.Checker{
		wire.Truth,
		topics.Arithmetic,
		groups.AfterStore,
		groups.Matches,
		summary.CountOnce,
		delivery.InDoubt,
		delivery.NoInvention,
		delivery.NoLoss,
		summary.LastValue,
		groups.FullStream,
		groups.Progress,
		groups.Bound,
		delivery.Order,
		delivery.Isolated,
		wire.AcksAll,
		wire.Idempotent,
		wire.NoLogDuplicate,
		topics.Window,
		delivery.StaysUp,
		delivery.ValidOnly,
		summary.Published,
		summary.Replay,
		summary.SameValue,
		summary.Value,
		topics.Cleanup,
		topics.Key,
		topics.OnlyListed,
		topics.Partitions,
		topics.Retention,
	}
}
