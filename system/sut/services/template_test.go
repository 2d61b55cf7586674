package services

import (
	"os"
	"path/filepath"
	"testing"

	"tahanuji/system/contract"
)

func TestTheTemplateOfAnyDocumentIsAFileThatFitsIt(t *testing.T) {
	for _, path := range []string{"../../sensor/architecture.yaml", "../../contract/testdata/toko/architecture.yaml"} {
		doc, err := contract.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, name := range append(doc.RoleNames(), "architecture.yaml") {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "sut.yaml"), Template(doc, "architecture.yaml"), 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := Load(filepath.Join(dir, "sut.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		bound, err := file.Bind(doc)
		if err != nil {
			t.Fatal(err)
		}
		if len(bound.Roles) != len(doc.Roles()) {
			t.Errorf("%d roles", len(bound.Roles))
		}
		for i, r := range bound.Roles {
			if r.Plain != doc.Roles()[i].Name || !r.Uses("bootstrap") {
				t.Errorf("%+v", r)
			}
		}
	}
}
