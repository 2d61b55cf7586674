package command

// moments are the ways in which a step of a plan says when it acts (target.Moment): by content, never by count or clock.
func moments() []entry {
	label := "event:N is the N-th event of the workload, from 0; summary:KEY|WINDOW is a summary by its key and window start (RFC 3339, UTC)"
	of := func(example string) map[string]string { return map[string]string{"at": example, "label": label} }
	return []entry{
		{"after start", "once every role is ready", of(`{"after": "start"}`)},
		{"after rest", "once everything sent so far is handled and committed: the group is caught up, and more events follow", of(`{"after": "rest"}`)},
		{"after LABEL", "once the record with the label is in its topic", of(`{"after": "event:17"}`)},
		{"Produce carries LABEL", "the Produce of a role that carries the record", of(`{"api": "Produce", "role": "recorder", "carries": "event:17"}`)},
		{"Fetch carries LABEL", "the Fetch of a role whose answer carries the record", of(`{"api": "Fetch", "role": "display", "carries": "summary:sensor-07|2026-11-07T01:00:00Z"}`)},
		{"OffsetCommit passes LABEL", "the commit that first passes the record", of(`{"api": "OffsetCommit", "role": "summarizer", "passes": "event:17"}`)},
		{"API after LABEL", "the first request of this API (Heartbeat, JoinGroup, SyncGroup ...) of a role once the record is in its topic", of(`{"api": "Heartbeat", "role": "summarizer", "after": "event:17"}`)},
		{"API", "the first request of this API of a role in the whole run, also while roles start", of(`{"api": "FindCoordinator", "role": "summarizer"}`)},
	}
}
