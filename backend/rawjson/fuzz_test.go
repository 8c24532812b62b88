package rawjson_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"sekisho/backend/rawjson"
)

var seeds = []string{
	`{}`, `[]`, ` [1, -0.5e+7, "x", null, true, false] `, `{"b":{"d":1,"c":[{}]},"a":"\u00e9\n\"\\\/"}`,
	`{"a":1,"\u0061":2}`, `{"\ud83d\ude00":1,"\ufb33":2,"":3}`, `"\ud800"`, `"\udc00\ud800"`, "\"\xff\"", "\xef\xbb\xbf{}",
	`[[[[[[]]]]]]`, `01`, `1.`, `-`, `{"a":1,}`, `[1,]`, `{"a" 1}`, `nul`, `{} {}`, `"\u12g4"`, "\"\t\"", "\"\u2028\x7f\"",
	`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"a":1}`,
}

// FuzzCheck holds Check and Canonical against encoding/json.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		err := rawjson.Check(raw, rawjson.MaxInputDepth)
		canonical, canonicalErr := rawjson.Canonical(nil, raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			checkRefusal(t, raw, err)
			return
		}
		if !json.Valid(raw) || !utf8.Valid(raw) || duplicates(raw) {
			t.Fatalf("Check takes %q", raw)
		}
		if canonicalErr != nil {
			t.Fatalf("Canonical(%q): %v", raw, canonicalErr)
		}
		checkCanonical(t, raw, canonical)
		checkOnePass(t, raw, canonical)
	})
}

// checkOnePass holds the hash, and the number of members and elements, which are taken
// without the canonical form, against it.
func checkOnePass(t *testing.T, raw, canonical []byte) {
	sum := sha256.Sum256(fmt.Appendf(nil, `["s","t",%s]`, canonical))
	want, server := "sha256:"+hex.EncodeToString(sum[:]), "s"
	members := countMembers(t, canonical)
	for limit, ok := range map[int]bool{0: true, members: true, members + 1: true, members - 1: members <= 1} {
		got, err := rawjson.HashWithin(rawjson.Limits{Depth: rawjson.MaxInputDepth, Members: limit}, &server, "t", raw)
		if bad := (*rawjson.Error)(nil); ok && (err != nil || got != want) || !ok && (!errors.As(err, &bad) || bad.Reason != rawjson.TooMany) {
			t.Fatalf("HashWithin %d members (%q) = %s, %v, want %s", limit, raw, got, err, want)
		}
	}
	r := rawjson.Bounded(iotest.OneByteReader(bytes.NewReader(raw)), members)
	if same, err := io.ReadAll(r); err != nil || !bytes.Equal(same, raw) || r.Members() != members {
		t.Fatalf("Bounded(%q): %d members, %v, want %d", raw, r.Members(), err, members)
	}
}

// countMembers counts by encoding/json.
func countMembers(t *testing.T, raw []byte) int {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var count func(any) int
	count = func(v any) (n int) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				n += 1 + count(e)
			}
		case map[string]any:
			for _, e := range v {
				n += 1 + count(e)
			}
		}
		return n
	}
	return count(v)
}

// checkRefusal wants a good reason for refusing what encoding/json takes.
func checkRefusal(t *testing.T, raw []byte, err error) {
	var e *rawjson.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(raw) || len(e.Path) > 300 || !strings.HasPrefix(e.Path, "$") {
		t.Fatalf("Check(%q): %#v", raw, err)
	}
	if !json.Valid(raw) {
		return
	}
	good := false
	switch e.Reason {
	case rawjson.DuplicateKey:
		good = duplicates(raw)
	case rawjson.BadUTF8:
		good = !utf8.Valid(raw)
	case rawjson.Surrogate:
		good = bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) && strings.ContainsRune(decode(t, raw), '\uFFFD')
	case rawjson.TooDeep:
		good = bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > rawjson.MaxInputDepth
	}
	if !good {
		t.Fatalf("Check(%q): %v", raw, err)
	}
}

// duplicates reports whether encoding/json sees a key twice in one object.
func duplicates(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var open []map[string]bool // nil for an array
	key := false
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return false
		}
		top := len(open) - 1
		switch name, isText := tok.(string); {
		case tok == json.Delim('{'):
			open, key = append(open, map[string]bool{}), true
			continue
		case tok == json.Delim('['):
			open, key = append(open, nil), false
			continue
		case tok == json.Delim('}'), tok == json.Delim(']'):
			open = open[:top]
		case key && isText:
			if open[top][name] {
				return true
			}
			open[top][name], key = true, false
			continue
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}

// decode gives a value as encoding/json understands it, keys sorted by bytes.
func decode(t *testing.T, raw []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %q: %v", raw, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func checkCanonical(t *testing.T, raw, canonical []byte) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "\r", " \t\n"); err != nil {
		t.Fatal(err)
	}
	for what, same := range map[string][]byte{"itself": canonical, "the indented input": indented.Bytes(),
		"the input in reverse": reverse(t, raw)} {
		if again, err := rawjson.Canonical(nil, same); err != nil || !bytes.Equal(again, canonical) {
			t.Fatalf("Canonical(%q) = %q, of %s %q: %v", raw, canonical, what, again, err)
		}
	}
	if err := rawjson.Check(canonical, rawjson.MaxInputDepth); err != nil {
		t.Fatalf("Canonical(%q) = %q: %v", raw, canonical, err)
	}
	if decode(t, raw) != decode(t, canonical) {
		t.Fatalf("Canonical(%q) = %q: another value", raw, canonical)
	}
	checkSorted(t, canonical)
}

// reverse turns the members of all objects around.
func reverse(t *testing.T, raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '{':
		members, err := rawjson.Members(raw)
		if err != nil {
			t.Fatal(err)
		}
		var parts [][]byte
		for _, m := range slices.Backward(members) {
			parts = append(parts, slices.Concat(m.RawKey, []byte(":"), reverse(t, m.Value)))
		}
		return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
	case '[':
		var values []json.RawMessage
		if err := json.Unmarshal(raw, &values); err != nil {
			t.Fatal(err)
		}
		var parts [][]byte
		for _, v := range values {
			parts = append(parts, reverse(t, v))
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
	}
	return raw
}

// checkSorted holds the order of keys against UTF-16 code units, at every level.
func checkSorted(t *testing.T, canonical []byte) {
	t.Helper()
	switch canonical[0] {
	case '{':
		members, err := rawjson.Members(canonical)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range members {
			if i > 0 && slices.Compare(utf16.Encode([]rune(members[i-1].Key)), utf16.Encode([]rune(m.Key))) >= 0 {
				t.Fatalf("%q: %q does not come after %q", canonical, m.Key, members[i-1].Key)
			}
			checkSorted(t, m.Value)
		}
	case '[':
		var values []json.RawMessage
		if err := json.Unmarshal(canonical, &values); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			checkSorted(t, v)
		}
	}
}

// FuzzMembers takes an object apart, puts another value in the place of one, and wants
// all others to stand.
func FuzzMembers(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), i)
	}
	f.Fuzz(func(t *testing.T, raw []byte, at int) {
		members, err := rawjson.Members(raw)
		if err != nil {
			if json.Valid(raw) && rawjson.Check(raw, rawjson.MaxInputDepth) == nil && bytes.TrimSpace(raw)[0] == '{' {
				t.Fatalf("Members(%q): %v", raw, err)
			}
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil || len(want) != len(members) {
			t.Fatalf("Members(%q) gives %d members, want %d: %v", raw, len(members), len(want), err)
		}
		got := map[string]json.RawMessage{}
		for _, m := range members {
			got[m.Key] = m.Value
			if !bytes.Equal(raw[m.ValueStart:m.ValueEnd], m.Value) {
				t.Fatalf("Members(%q): %q is not at %d:%d", raw, m.Value, m.ValueStart, m.ValueEnd)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("Members(%q) = %q, want %q", raw, got, want)
		}
		if len(members) == 0 {
			return
		}
		m := members[uint(at)%uint(len(members))]
		spliced := slices.Concat(raw[:m.ValueStart], []byte(`[ "new" ]`), raw[m.ValueEnd:])
		var after map[string]json.RawMessage
		if err := json.Unmarshal(spliced, &after); err != nil {
			t.Fatalf("%q: %v", spliced, err)
		}
		want[m.Key] = json.RawMessage(`[ "new" ]`)
		if !reflect.DeepEqual(after, want) {
			t.Fatalf("spliced into %q: %q", raw, after)
		}
	})
}

// FuzzOutline takes all JSON in UTF-8 and no more, finds the members that are there, and
// leaves what Check refuses for Check to see. Skim does the same, and takes what is not UTF-8.
func FuzzOutline(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(`{"a":` + s + `,"\ud800":[` + s + `],"b":{"":` + s + `}}`))
		f.Add([]byte(`{"a` + "\xe2\x82\xff" + `":"much of it is ASCII",` + "\"long enough\x80\":" + s + `}`))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > 9000 {
			return // beyond encoding/json
		}
		var want map[string]json.RawMessage
		taken := json.Unmarshal(raw, &want) == nil && want != nil
		holdOutline(t, "Outline", raw, rawjson.Outline, want, taken && utf8.Valid(raw))
		holdOutline(t, "Skim", raw, rawjson.Skim, want, taken)
	})
}

func holdOutline(t *testing.T, name string, raw []byte, outline func([]byte) ([]rawjson.Member, error), want map[string]json.RawMessage,
	taken bool) {
	members, err := outline(raw)
	if taken != (err == nil) {
		t.Fatalf("%s(%q): %v, want it taken: %v", name, raw, err, taken)
	}
	if err != nil {
		if e, ok := errors.AsType[*rawjson.Error](err); !ok || e.Offset < 0 || e.Offset > len(raw) || rawjson.Check(raw, 1) == nil &&
			e.Reason != rawjson.NotObject {
			t.Fatalf("%s(%q): %#v", name, raw, err)
		}
		return
	}
	got := map[string]json.RawMessage{}
	for _, m := range members {
		got[m.Key] = m.Value
		if !bytes.Equal(raw[m.ValueStart:m.ValueEnd], m.Value) {
			t.Fatalf("%s(%q): %q is not at %d:%d", name, raw, m.Value, m.ValueStart, m.ValueEnd)
		}
		var key string
		if err := json.Unmarshal(m.RawKey, &key); err != nil || key != m.Key {
			t.Fatalf("%s(%q): the key %q is written %q", name, raw, m.Key, m.RawKey)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s(%q) = %q, want %q", name, raw, got, want)
	}
}
