package contract_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tahanuji/system/contract"
)

func TestAPointerFindsWhatStandsThere(t *testing.T) {
	record := []byte(`{"a":{"b":[10,{"c.d":"x"}],"":1,"n":null},"a/b":2,"m~n":3,"*":4,"#":5,"0":6,"\u0061\u0062":7,"@pretty":8}`)
	for pointer, want := range map[contract.Pointer]string{
		"/a/b/0": "10", "/a/b/1/c.d": `"x"`, "/a/": "1", "/a/n": "null", "/a~1b": "2", "/m~0n": "3", "/*": "4", "/#": "5", "/0": "6", "/ab": "7", "/@pretty": "8",
		"": string(record),
	} {
		if got, ok := pointer.Get(record); !ok || got.Raw != want {
			t.Errorf("%q: %q, %v, want %q", pointer, got.Raw, ok, want)
		}
	}
	for _, pointer := range []contract.Pointer{"/b", "/a/b/2", "/a/b/-1", "/a/b/00", "/a/b/#", "/a/b/x", "/a/n/x", "/a?", "/a/b/1/c", "/a.b"} {
		if got, ok := pointer.Get(record); ok {
			t.Errorf("%q found %q", pointer, got.Raw)
		}
	}
}

func TestTheTextOfAKeyIsAsItIsWritten(t *testing.T) {
	record := []byte(`{"s":"a\"b","n":10.50,"t":true,"o":{},"l":[],"z":null}`)
	for pointer, want := range map[contract.Pointer]string{"/s": `a"b`, "/n": "10.50", "/t": "true"} {
		if got, ok := pointer.Text(record); !ok || got != want {
			t.Errorf("%s: %q, %v", pointer, got, ok)
		}
	}
	for _, pointer := range []contract.Pointer{"/o", "/l", "/z", "/x"} {
		if got, ok := pointer.Text(record); ok {
			t.Errorf("%s has the text %q", pointer, got)
		}
	}
}

func TestPointersAreJoinedAndSplitWithoutLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.String()).Draw(t, "names")
		p := contract.Pointer("")
		for _, n := range names {
			p = p.Join(n)
		}
		if got := p.Tokens(); !slices.Equal(got, names) {
			t.Fatalf("%q: %q, want %q", p, got, names)
		}
		if p != "/" && p.Check() != nil {
			t.Fatalf("%q: %v", p, p.Check())
		}
	})
}

func TestAPointerIsAboveItselfAndWhatIsBelow(t *testing.T) {
	for _, c := range []struct {
		p, q contract.Pointer
		want bool
	}{{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/a/b", "/a", false}, {"", "/a", true}} {
		if got := c.p.Under(c.q); got != c.want {
			t.Errorf("%q above %q: %v", c.p, c.q, got)
		}
	}
}

func FuzzAPointerNeverPanics(f *testing.F) {
	f.Add("/a/b/0", []byte(`{"a":{"b":[1]}}`))
	f.Add("~", []byte(`{`))
	f.Fuzz(func(t *testing.T, pointer string, record []byte) {
		p := contract.Pointer(pointer)
		if p.Check() == nil {
			p.Get(record)
			p.Text(record)
		}
	})
}
