package services

import (
	"fmt"
	"slices"
	"strings"

	"tahanuji/system/contract"
)

// Template is a commented sut.yaml to start from, with a role for each of the document's. system is the document's path, relative to
// the folder in which the file will stand. Load takes it once the commands are there.
func Template(doc *contract.Document, system string) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# How your services are started, handed events and asked what they show. Nothing in a service has to change for it.")
	line("# A role that you leave out is played by the reference. Delete what is not yours.")
	line("system: %s", quote(system))
	line("broker: {topics: exact}             # or prefixed: then every topic and group is taken from {topic:NAME}, {group:NAME}")
	line("# setup: [make, build]              # run once before the first run")
	line("# inherit: [NAME]                   # further variables of your environment; PATH, HOME, LANG, TZ, JAVA_HOME are passed on anyway")
	line("roles:")
	for _, role := range doc.Roles() {
		template(line, doc, role)
	}
	return []byte(b.String())
}

func template(line func(string, ...any), doc *contract.Document, role contract.Role) {
	var plays, env []string
	kinds := map[contract.Kind]bool{}
	for _, f := range role.Flows {
		plays = append(plays, quote(f.Name))
		kinds[f.Kind] = true
		for _, v := range []struct{ name, place, of string }{{"READS", "topic", f.Reads}, {"WRITES", "topic", f.Writes}, {"GROUP", "group", f.Group}} {
			if entry := fmt.Sprintf(`%s: "{%s:%s}"`, v.name, v.place, v.of); v.of != "" && !slices.Contains(env, entry) {
				env = append(env, entry)
			}
		}
	}
	line("  %s:", fileRole(role.Name))
	line("    plays: [%s]", strings.Join(plays, ", "))
	line("    command: [./%s]%s# a list; started in dir, as a process group of its own", fileRole(role.Name), strings.Repeat(" ", 4))
	line("    # dir: services                 # relative to this file")
	line("    # The names of the variables are your service's own; {bootstrap} is the way to the broker, and the only one.")
	line(`    env: {KAFKA: "{bootstrap}", STATE: "{state}", PORT: "{port}", %s}`, strings.Join(env, ", "))
	line("    # instances: 2                  # {instance} tells them apart; {state} is shared, {port} is not")
	if len(doc.GroupsOf(role.Name)) == 0 {
		line(`    ready: {http: "http://127.0.0.1:{port}/healthz", within: 20s}   # or {line: REGEXP}, {port: "{port}"}`)
	} else {
		line("    # ready: ready with the members of its group, unless you give http, line or port")
	}
	if kinds[contract.Recorder] {
		line("    accept:                         # how a source hands it an event; or accept: stdio")
		line(`      http: {method: POST, url: "http://127.0.0.1:{port}/events", body: envelope}   # data: the service makes the envelope`)
		line("      recorded: [200, 201, 202]     # here the promise begins; an answer in neither list is no answer")
		line("      refused: {status: [400, 422]} # fields: {at: /errors, field: /field} says where the wrong fields are named")
		line("      # event-id: %s                # where the answer names the id, if the service sets it", doc.Envelope.ID)
	}
	if kinds[contract.Display] {
		rowsTemplate(line, doc, role.Name)
	}
	line("    stop: {signal: TERM, within: 10s}")
	line("    # restart: never                # then an end of its own is a violation; always: it is started again and counted")
}

func rowsTemplate(line func(string, ...any), doc *contract.Document, role string) {
	shown, ok := Shown(doc, role)
	if !ok {
		return
	}
	var key []string
	for _, p := range shown.OverwriteKey {
		key = append(key, quote("/"+p.Name()))
	}
	line("    # How it is asked what it shows; key: the places in a row of %s. value: \"\" is a row that is the record's", join(shown.OverwriteKey))
	line("    # data, otherwise a map from the summary's fields to places in a row.")
	line(`    rows: {http: {url: "http://127.0.0.1:{port}/rows"}, at: /rows, key: [%s], value: ""}`, strings.Join(key, ", "))
}

// fileRole is a name of a role that a file may have.
func fileRole(name string) string {
	if roleName.MatchString(name) {
		return name
	}
	return "role"
}

// quote writes a text as YAML that nothing can be taken for.
func quote(s string) string { return fmt.Sprintf("%q", s) }
