package sut

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"tahanuji/system/contract"
	"tahanuji/system/sut/services"
)

func TestWhatAFileLeavesOutIsLackedWithTheReason(t *testing.T) {
	doc := toko()
	for _, c := range []struct {
		yaml  string
		lacks []contract.Feature
	}{
		{recorder("http"), nil},
		{strings.Replace(recorder("http"), ", fields: {at: /errors, field: /field}", "", 1), []contract.Feature{contract.NeedsFields}},
		{"roles: {k: {plays: [terima], command: [SELF, '{bootstrap}'], accept: stdio}}", nil},
		{"roles: {k: {plays: [terima], command: [SELF, '{bootstrap}']}}", []contract.Feature{contract.NeedsAccept, contract.NeedsFields}},
		{"roles: {g: {plays: [jumlahkan, umumkan], command: [SELF, '{bootstrap}']}}", []contract.Feature{contract.NeedsStore}},
		{"roles: {p: {plays: [tampilkan], command: [SELF, '{bootstrap}']}}", []contract.Feature{contract.NeedsRows}},
		{"roles: {p: {plays: [tampilkan], command: [SELF], rows: stdio}}", []contract.Feature{contract.NeedsWire}},
	} {
		lacks := command(t, doc, c.yaml).Lacks(doc)
		if got := slices.Sorted(maps.Keys(lacks)); !slices.Equal(got, slices.Sorted(slices.Values(c.lacks))) {
			t.Errorf("%s lacks %q, want %q", c.yaml, got, c.lacks)
		}
		for feature, why := range lacks {
			if !strings.Contains(why, "roles.") {
				t.Errorf("%s: %q names no role of the file", feature, why)
			}
		}
	}
}

func TestAdaptersAreListedOnceAndOpen(t *testing.T) {
	doc := toko()
	seen := map[string]bool{}
	for _, kind := range Adapters() {
		path := ""
		if kind.File {
			path = write(t, recorder("http"))
		}
		a, err := kind.Open(path)
		if err != nil || a.Name() != kind.Name || seen[kind.Name] || kind.Doc == "" || a.Lacks(doc) == nil {
			t.Errorf("%s: %v, %v", kind.Name, a, err)
		}
		seen[kind.Name] = true
	}
	if _, err := LoadCommand("testdata/none.yaml"); err == nil {
		t.Error("a file that is not there was loaded")
	}
}

func TestTheReferencesOwnCommandsLackTheStoreAlone(t *testing.T) {
	c, err := LoadCommand("../../reference/sensor/sut.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := contract.Load(c.Architecture())
	if err != nil {
		t.Fatal(err)
	}
	if lacks := slices.Sorted(maps.Keys(c.Lacks(doc))); !slices.Equal(lacks, []contract.Feature{contract.NeedsStore}) {
		t.Errorf("lacks %q", lacks)
	}
}

func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{`{"id":"1","errors":[{"field":"/a"}]}`, `{"errors":["a.b",{"field":[1,"x"]}]}`, `[]`, `{"id":{}}`, "{", `{"where":{"p":1e9,"o":-1}}`,
		`{"t":{"h":{"total":1}}}`, `{"rows":[{"a":"x","b":1}],"next":""}`, "\x00", `{"a":NaN}`} {
		f.Add([]byte(seed))
	}
	id := contract.Pointer("/id")
	accept := &services.Accept{EventID: &id, Position: &services.Position{Partition: "/where/p", Offset: "/where/o"},
		Fields: &services.Fields{At: "/errors", Field: "/field"}, HTTP: &services.Call{}}
	list := &services.Rows{At: "/rows", Key: []contract.Pointer{"/a", "/b"}, Value: map[contract.Pointer]contract.Pointer{"/isi/total": "/c"}}
	f.Fuzz(func(t *testing.T, answer []byte) {
		if a := recorded(accept, "pesanan", answer); a.Phase != "ok" || !a.Reached || a.Where != nil && (a.Where.Partition < 0 || a.Where.Offset < 0) {
			t.Fatalf("%+v", a)
		}
		a := refused(accept, answer)
		if a.Phase != "fail" {
			t.Fatalf("%+v", a)
		}
		for _, field := range a.Fields {
			if field != "" && field[0] != '/' {
				t.Fatalf("%q is no pointer", field)
			}
		}
		if !json.Valid(answer) {
			return
		}
		for _, form := range []*services.Rows{list, {Nested: true}} {
			rows, err := readRows(form, 2, answer)
			for _, r := range rows {
				if err == nil && (len(r.Key) != 2 || !json.Valid(r.Value)) {
					t.Fatalf("%+v", r)
				}
			}
		}
	})
}
