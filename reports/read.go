package reports

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ReportFile is the report's own form in an out folder; the others are rendered from it.
const ReportFile = "report.json"

//go:embed report.schema.json
var schemaText []byte

// Schema is the JSON Schema (2020-12) of report.json.
func Schema() []byte { return bytes.Clone(schemaText) }

// Encode is report.json as bytes.
func Encode(r *Report) ([]byte, error) {
	text, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("reports: encode: %w", err)
	}
	return text, nil
}

// Read reads a report from report.json or from the folder that holds it. Unknown fields and another version of the form
// are errors that name the file. It believes what it reads: see Verify.
func Read(path string) (*Report, error) {
	path = reportPath(path)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reports: read: %w", err)
	}
	var r Report
	if err := decode(text, &r); err != nil {
		return nil, fmt.Errorf("reports: read %s: %w", path, err)
	}
	if r.Format != Format {
		return nil, fmt.Errorf("reports: read %s: the form is %q, this program reads %q", path, r.Format, Format)
	}
	return &r, nil
}

func reportPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, ReportFile)
	}
	return path
}

// checkSchema holds report.json against its schema, all faults in one error.
func checkSchema(text []byte) error {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return fmt.Errorf("reports: schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	const name = "report.schema.json"
	if err := c.AddResource(name, schema); err != nil {
		return fmt.Errorf("reports: schema: %w", err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return fmt.Errorf("reports: schema: %w", err)
	}
	if !json.Valid(text) {
		return errors.New("schema: the report is no JSON")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if err := compiled.Validate(v); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return nil
}
