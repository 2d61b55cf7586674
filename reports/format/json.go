package format

import (
	"io"

	"tahanuji/reports"
)

// JSON is report.json, the form that all others are rendered from; its schema is reports.Schema.
func JSON() Format {
	return Format{
		Name: "json", File: reports.ReportFile,
		Doc: "the report as data, with its own JSON Schema; what verify, diff and report read",
		Render: func(r *reports.Report, w io.Writer) error {
			text, err := reports.Encode(r)
			if err != nil {
				return err
			}
			_, err = w.Write(text)
			return err
		},
	}
}
