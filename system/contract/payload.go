package contract

import "encoding/json"

// Payload is what a record of a topic must look like: the whole record, envelope and data.
type Payload struct {
	Name     string
	Schema   json.RawMessage   // JSON Schema 2020-12 of the whole record
	Examples []json.RawMessage // whole records
	Rules    Rules
	Pos      Pos
}

// Problem says what is wrong with one field of a record.
type Problem struct {
	Field Pointer // the deepest field that is wrong; a missing field's own pointer
	Why   string  // one sentence
}
