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
	d := &draft{doc: doc}
	d.line("", "How your services are started, handed events and asked what they show. Nothing in a service has to change for it.")
	d.line("", "A role that you leave out is played by the reference: delete what is not yours.")
	d.line("system: "+quote(system), "the document, relative to this file")
	d.line("broker: {topics: exact}", "or prefixed: then every topic and group is taken from {topic:NAME}, {group:NAME}")
	d.line("# setup: [make, build]", "run once before the first run")
	d.line("# inherit: [NAME]", "more of your environment than PATH, HOME, LANG, TZ, JAVA_HOME")
	d.line("roles:", "")
	for i, role := range doc.Roles() {
		d.role(i, role)
	}
	return []byte(d.text.String())
}

type draft struct {
	doc  *contract.Document
	text strings.Builder
}

// line writes YAML with a comment beside it, in one column, or a comment alone.
func (d *draft) line(yaml, comment string) {
	switch {
	case comment == "":
		d.text.WriteString(yaml)
	case strings.TrimSpace(yaml) == "":
		d.text.WriteString(yaml + "# " + comment)
	default:
		fmt.Fprintf(&d.text, "%-47s # %s", yaml, comment)
	}
	d.text.WriteByte('\n')
}

func (d *draft) role(i int, role contract.Role) {
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
	name := role.Name
	if !roleName.MatchString(name) {
		name = fmt.Sprintf("role-%d", i+1) // the document names roles as it likes; plays says which one is meant
	}
	d.line("  "+name+":", "")
	d.line("    plays: ["+strings.Join(plays, ", ")+"]", "flows of the document")
	d.line("    command: [./"+name+"]", "started in dir, as a process group of its own")
	d.line("    # dir: services", "relative to this file")
	d.line("    ", "The variables have your service's own names. {bootstrap} is the way to the broker, and the only one.")
	d.line(`    env: {KAFKA: "{bootstrap}", STATE: "{state}", PORT: "{port}", `+strings.Join(env, ", ")+"}", "")
	d.line("    # instances: 2", "{instance} tells them apart; {state} is shared, {port} is not")
	if len(d.doc.GroupsOf(role.Name)) == 0 {
		d.line("    ", `Or {line: REGEXP}, {port: "{port}"}, {group: NAME}.`)
		d.line(`    ready: {http: "http://127.0.0.1:{port}/healthz", within: 20s}`, "")
	} else {
		d.line("    ", "It is ready with the members of its group, unless you give ready: {http: ...}, {line: ...} or {port: ...}.")
	}
	if kinds[contract.Recorder] {
		d.accept()
	}
	if kinds[contract.Display] {
		d.rows(role.Name)
	}
	d.line("    stop: {signal: TERM, within: 10s}", "what has not ended then is killed, and the report says so")
	d.line("    # restart: never", "an end of its own is a violation; always: it is started again and counted")
}

func (d *draft) accept() {
	d.line("    accept:", "how a source hands it an event; or accept: stdio")
	d.line("      ", "body: envelope is the whole record; data: the service makes the envelope and sets the id.")
	d.line(`      http: {method: POST, url: "http://127.0.0.1:{port}/events", body: envelope}`, "")
	d.line("      recorded: [200, 201, 202]", "the promise begins here; a status in neither list is no answer")
	d.line("      refused: {status: [400, 422]}", "fields: {at: /errors, field: /field}: where the wrong fields are named")
	d.line("      # event-id: "+string(d.doc.Envelope.ID), "where the answer names the id, when the service sets it")
}

func (d *draft) rows(role string) {
	shown, ok := Shown(d.doc, role)
	if !ok {
		return
	}
	var key []string
	for _, p := range shown.OverwriteKey {
		key = append(key, quote("/"+p.Name()))
	}
	d.line("    ", "How it is asked what it shows. key: the places in a row of "+join(shown.OverwriteKey)+".")
	d.line("    ", `value: "" is a row that is the record's data; otherwise a map from the summary's fields to places in a row.`)
	d.line(`    rows: {http: {url: "http://127.0.0.1:{port}/rows"}, at: /rows, key: [`+strings.Join(key, ", ")+`], value: ""}`, "")
}

// quote writes a text as YAML that is taken for nothing else.
func quote(s string) string { return fmt.Sprintf("%q", s) }
