package conftext

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const (
	ours = `{ // mine
  "a": {"x": 1, /* two */ "y": "é", "z": [true, null]},
}`
	lines = "# mine\n[t]\na.x = 1\n[t.a.y]\nk = 'é' # two\n[other]\n[t.b]\nz = [1, 2]\n"
)

func entryAt(t *testing.T, src string, d Dialect, path ...string) (*Document, Entry) {
	t.Helper()
	doc, err := Read(src, d)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := doc.Entry(path)
	if !ok {
		t.Fatalf("no table %v in\n%s", path, src)
	}
	return doc, e
}

// TestChangesInPlace: all that is not meant stays, byte for byte.
func TestChangesInPlace(t *testing.T) {
	jsonc := Dialect{Comments: true, TrailingCommas: true}
	for _, c := range []struct {
		src     string
		dialect Dialect
		path    []string
		change  Change
		want    string
	}{
		{ours, jsonc, []string{"a"}, Change{Field: "x", Raw: "2"}, strings.Replace(ours, "1", "2", 1)},
		{ours, jsonc, []string{"a"}, Change{Field: "x", Name: "w", Raw: `"v"`}, strings.Replace(ours, `"x": 1`, `"w": "v"`, 1)},
		{ours, jsonc, []string{"a"}, Change{Field: "w", Raw: "{}", After: "y"}, strings.Replace(ours, `"é"`, `"é", "w": {}`, 1)},
		{ours, jsonc, []string{"a"}, Change{Field: "z"}, strings.Replace(ours, `, "z": [true, null]`, "", 1)},
		{lines, Dialect{TOML: true}, []string{"t", "b"}, Change{Field: "z", Raw: "[]"}, strings.Replace(lines, "[1, 2]", "[]", 1)},
		{lines, Dialect{TOML: true}, []string{"t", "b"}, Change{Field: "w", Raw: "'v'", After: "z"}, lines + "w = 'v'\n"},
		{lines, Dialect{TOML: true}, []string{"t", "a"}, Change{Field: "y"}, strings.Replace(lines, "[t.a.y]\nk = 'é' # two\n", "", 1)},
	} {
		doc, e := entryAt(t, c.src, c.dialect, c.path...)
		edits, err := e.Edits([]Change{c.change})
		if err != nil {
			t.Fatalf("%+v: %v", c.change, err)
		}
		if got, err := Apply(doc.Src, edits); err != nil || got != c.want {
			t.Errorf("%+v: %v\n%s\nnot\n%s", c.change, err, got, c.want)
		}
	}
}

// TestAFieldThatIsSpreadIsNotChanged: who asks is told which.
func TestAFieldThatIsSpreadIsNotChanged(t *testing.T) {
	_, e := entryAt(t, lines, Dialect{TOML: true}, "t", "a")
	var apart *ApartError
	if _, err := e.Edits([]Change{{Field: "y", Raw: "1"}}); !errors.As(err, &apart) || apart.Field != "y" {
		t.Errorf("%v", err)
	}
}

// TestTwoEditsOfTheSameBytes are refused.
func TestTwoEditsOfTheSameBytes(t *testing.T) {
	doc, e := entryAt(t, ours, Dialect{Comments: true, TrailingCommas: true}, "a")
	if got, err := Apply(doc.Src, append(e.Replace("1"), e.Replace("2")...)); !errors.Is(err, errOverlap) {
		t.Errorf("%q %v", got, err)
	}
}

// TestDialects: what a reader does not take is said with its place.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		src     string
		dialect Dialect
		want    string
	}{
		{`{"a":1} // b`, Dialect{}, "line 1, column 9: a comment, which this client does not read"},
		{"{\"a\":1,\n}", Dialect{Comments: true}, "line 1, column 7: a comma before the end, which this client does not read"},
		{"{\"a\":1,\n\"a\":2}", Dialect{}, `line 2, column 1: the key "a" is there twice`},
		{`[]`, Dialect{}, "line 1, column 1: the document is not an object"},
		{`{"a":` + strings.Repeat("[", MaxNesting), Dialect{}, "line 1, column 505: nested too deep"},
		{"a = 1\na.b = 2", Dialect{TOML: true}, "line 2, column 1: the key a.b is there twice"},
		{"[a]\n[a]", Dialect{TOML: true}, "line 2, column 1: the table a is there twice, or is no table"},
	} {
		_, err := Read(c.src, c.dialect)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != c.want {
			t.Errorf("%.20q: %v", c.src, err)
		}
	}
	for _, src := range []string{"{} // without an end", "{// \r\"a\":1}", ByteOrderMark + "{}"} {
		if _, err := Read(src, Dialect{Comments: true}); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// TestKeysAreInTheOrderOfTheFile, and a table that is not there has none.
func TestKeysAreInTheOrderOfTheFile(t *testing.T) {
	for src, want := range map[string][]string{
		`{"t":{"b":{},"a":{}}}`: {"b", "a"}, "[t.b]\n[x]\n[t]\na = 1\nc = {}": {"b", "a", "c"}, "t = { b = 1, a = 2 }": {"a", "b"}, "[x]": nil,
	} {
		doc, err := Read(src, Dialect{TOML: src[0] != '{'})
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Keys([]string{"t"}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v", src, got)
		}
	}
}
