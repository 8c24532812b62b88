package toolbook

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

func hashOfEntry(entry string) string {
	return Definitions([]permission.OfferedTool{{Name: "x", Raw: json.RawMessage(entry)}})["x"].hash
}

// reversed writes a value again with the members of its objects the other way round.
func reversed(t testing.TB, raw []byte) []byte {
	if members, err := rawjson.Members(raw); err == nil {
		slices.Reverse(members)
		var parts [][]byte
		for _, m := range members {
			parts = append(parts, append(append(bytes.Clone(m.RawKey), ": "...), reversed(t, m.Value)...))
		}
		return append(append([]byte("{ "), bytes.Join(parts, []byte(" ,\n"))...), '}')
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return raw
	}
	var parts [][]byte
	for _, item := range items {
		parts = append(parts, reversed(t, item))
	}
	return append(append([]byte("["), bytes.Join(parts, []byte(", "))...), ']')
}

// FuzzDefinition: the order of keys is no change, another description is, and the
// text that is shown is the definition.
func FuzzDefinition(f *testing.F) {
	for _, schema := range []string{`{}`, `{"type":"object","properties":{"a":{"enum":[1,2.0,"\"]{"]},"b":{}},"required":["a","b"]}`,
		`[[[],{}],"\\"]`, `"\u2028é"`, `1e400`} {
		f.Add(schema, "text")
	}
	f.Fuzz(func(t *testing.T, schema, description string) {
		if rawjson.Check([]byte(schema), 100) != nil || len(schema) > 1<<12 {
			return // no JSON: nothing to hold against
		}
		said := string(rawjson.AppendString(nil, strings.ToValidUTF8(description, "?")))
		entry := `{"name":"x","inputSchema":` + schema + `,"description":` + said + `}`
		hash := hashOfEntry(entry)
		if again := hashOfEntry(string(reversed(t, []byte(entry)))); again != hash {
			t.Errorf("the order of keys changed %s", entry)
		}
		if other := hashOfEntry(strings.Replace(entry, `"description":"`, `"description":"!`, 1)); other == hash {
			t.Errorf("another description is the same: %s", entry)
		}
		canonical := canonical([]byte(entry))
		var out bytes.Buffer
		if !indent(&out, canonical, 1<<20) {
			t.Fatalf("%d bytes are too long", out.Len())
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, out.Bytes()); err != nil || !bytes.Equal(compact.Bytes(), canonical) {
			t.Errorf("shown is %s, %v; it is %s", compact.Bytes(), err, canonical)
		}
	})
}
