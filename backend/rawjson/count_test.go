package rawjson_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"sekisho/backend/rawjson"
)

// TestBoundedSaysWhere: what has too much in it is refused by the name of the member of
// the body, before the rest of it is read.
func TestBoundedSaysWhere(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":1,"input":{"x":[0,0,0,0]},"b":1}`:                         "$.input",
		`{"a":1,"in\"put":[[],{},[],{},[]]}`:                            `$["in\\\"put"]`,
		`[0,0,0,0,0,0,0]`:                                               "$",
		`{"` + strings.Repeat("k", 99) + `":[0,0,0,0,0,0,0]}`:           "$." + strings.Repeat("k", 32),
		`{"a":{"b":"{[,","c":[1,2,{"d":{"e":1}}]},"f":0}`:               "$.a",
		` { "a" : "\\" , "b" : [ 1 , 2 , 3 , { } , "," ] } `:            "$.b",
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}`:                         "$.e",
		`{"a":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + "}": "$.a",
	} {
		_, err := io.ReadAll(rawjson.Bounded(strings.NewReader(raw), 5))
		var e *rawjson.Error
		if !errors.As(err, &e) || e.Reason != rawjson.TooMany || e.Path != want {
			t.Errorf("%s: %v, want it at %s", raw, err, want)
		}
	}
}

// TestHashNamesThePlaceOfTooMany: the scan that hashes knows the whole path.
func TestHashNamesThePlaceOfTooMany(t *testing.T) {
	_, err := rawjson.HashWithin(rawjson.Limits{Depth: 9, Members: 4}, nil, "t", []byte(`{"a":[1,{"b":2,"c":3}]}`))
	var e *rawjson.Error
	if !errors.As(err, &e) || e.Reason != rawjson.TooMany || e.Path != "$.a[1].c" {
		t.Errorf("%v", err)
	}
}

// TestAMillionKeysCostNothing: a body that is refused for its members costs what was read
// of it until then, and no memory for each key.
func TestAMillionKeysCostNothing(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"k0":0`)
	for i := range 1_000_000 {
		b.WriteString(`,"k`)
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteString(`":1`)
	}
	b.WriteString("}")
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	spent := allocated(func() {
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{rawjson.Bounded(bytes.NewReader(b.Bytes()), 100_000)}); err == nil {
			t.Error("a million keys are taken")
		}
	})
	if spent > 1<<20 {
		t.Errorf("%d bytes were allocated to refuse it", spent)
	}
}
