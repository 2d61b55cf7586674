// Package sim is the simulation: the roles' own code in virtual time. It holds no code itself.
//
//	virtual   virtual time: an event heap and coroutines on one goroutine
//	cluster   what a broker keeps: logs and consumer groups
//	store     what a role keeps: ordered buckets with transactions
//	model     the broker and its clients behind reference/port, faults at named moments, a run's phases
//	roles     the reference's roles on the model
//	explore   random search for runs that break a promise, made minimal; explore/plans for rapid
//	agree     where two runs of one plan end, held against each other
//
// A run on the model takes the same plan as one on a broker and yields the same history, so the same checkers judge it. It is
// a function of its configuration: the same seed gives the same history, event by event.
package sim
