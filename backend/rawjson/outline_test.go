package rawjson_test

import (
	"errors"
	"strings"
	"testing"

	"sekisho/backend/rawjson"
)

func TestOutlineLetsPassWhatIsNotRead(t *testing.T) {
	const levels = 1 << 20
	for name, value := range map[string]string{
		"half a pair": `"cut \ud83d"`, "the other half": `["\ude00","\ud83d\u0041","\ud83d\ud83d\ude00"]`,
		"half a pair as a key": `[{"\ud83d":1,"\ud83e":{}}]`,
		"duplicate keys":       `{"a":1,"a":{"b":1,"b":2}}`, "lists in lists": strings.Repeat("[", levels) + strings.Repeat("]", levels),
		"objects in objects":                    strings.Repeat(`{"a":`, levels) + "0" + strings.Repeat("}", levels),
		"both by turns":                         strings.Repeat(`[0,{"a":1 , "b":`, levels) + "null" + strings.Repeat("} ]", levels),
		"another container in the place of one": `[{"a":1},[1,2],{"b":[]},[[3]],{"c":{"d":4}}]`,
		"scalars":                               `[ "" , -0.5e+7,true,false,null , [ ] , { } ]`,
	} {
		t.Run(name, func(t *testing.T) {
			raw := []byte(` {"b" : ` + value + ` , "a\ud83d":` + value + `,"b":1}`)
			got, err := rawjson.Outline(raw)
			if err != nil || len(got) != 3 {
				t.Fatalf("%d members, %.200v", len(got), err)
			}
			for i, want := range [][2]string{{"b", value}, {"a\uFFFD", value}, {"b", "1"}} {
				if m := got[i]; m.Key != want[0] || string(m.Value) != want[1] || &raw[m.ValueStart] != &m.Value[0] ||
					m.ValueEnd-m.ValueStart != len(m.Value) {
					t.Errorf("member %d is %q: %.60s at %d:%d", i, m.Key, m.Value, m.ValueStart, m.ValueEnd)
				}
			}
		})
	}
	if got, err := rawjson.Outline([]byte(" {} ")); err != nil || len(got) != 0 {
		t.Errorf("Outline({}) = %v, %v", got, err)
	}
}

func TestOutlineRefusesWhatIsNoJSON(t *testing.T) {
	for raw, want := range map[string]rawjson.Error{
		``: {0, "$", rawjson.Syntax}, ` `: {1, "$", rawjson.Syntax}, ` []`: {1, "$", rawjson.NotObject}, `"{}"`: {0, "$", rawjson.NotObject},
		`null`: {0, "$", rawjson.NotObject}, "\xef\xbb\xbf{}": {0, "$", rawjson.NotObject},
		`{"a":1`: {6, "$", rawjson.Syntax}, `{"a":1} x`: {8, "$", rawjson.Trailing}, `{"a":1,}`: {7, "$", rawjson.Syntax},
		`{a:1}`: {1, "$", rawjson.Syntax}, `{"a"}`: {4, "$.a", rawjson.Syntax},
		`{"a":}`: {5, "$.a", rawjson.Syntax}, `{"a":[1}`: {7, "$.a", rawjson.Syntax}, `{"a":{"b":1]}`: {11, "$.a", rawjson.Syntax},
		`{"a":[1,]}`: {8, "$.a", rawjson.Syntax}, `{"a":[1 2]}`: {8, "$.a", rawjson.Syntax}, `{"a":[[]`: {8, "$.a", rawjson.Syntax},
		`{"a":{"b":1,}}`: {12, "$.a", rawjson.Syntax}, `{"a":{"b" 1}}`: {10, "$.a", rawjson.Syntax}, `{"a":{1:1}}`: {6, "$.a", rawjson.Syntax},
		`{"a":{"b`: {8, "$.a", rawjson.Syntax}, `{"a":{`: {6, "$.a", rawjson.Syntax},
		`{"a":[01]}`: {7, "$.a", rawjson.Syntax}, `{"a":["\ud83"]}`: {7, "$.a", rawjson.Syntax}, `{"a":[nul]}`: {6, "$.a", rawjson.Syntax},
		"{\"a\":[\"\xff\"]}": {7, "$.a", rawjson.BadUTF8}, "{\"a\":{\"\xff\":1}}": {7, "$.a", rawjson.BadUTF8},
	} {
		got, err := rawjson.Outline([]byte(raw))
		var e *rawjson.Error
		if got != nil || !errors.As(err, &e) || *e != want {
			t.Errorf("Outline(%q) = %v, %v, want %v", raw, got, err, &want)
		}
	}
}

func TestSkimLetsPassWhatIsNotUTF8(t *testing.T) {
	raw := []byte("{\"a\":\"\xff, and more of it\xe2\x82\",\"k\x80\":[{\"\xc0\":1}]}")
	got, err := rawjson.Skim(raw)
	if err != nil || len(got) != 2 || string(got[0].Value) != "\"\xff, and more of it\xe2\x82\"" || got[1].Key != "k\uFFFD" ||
		string(got[1].RawKey) != "\"k\x80\"" {
		t.Errorf("Skim(%q) = %v, %v", raw, got, err)
	}
}

func TestSkimIsBounded(t *testing.T) {
	const deepest = 10_000 // of encoding/json
	for depth, want := range map[int]bool{deepest: true, deepest + 1: false, 1 << 20: false} {
		for open, closed := range map[string]string{"[": "]", `{"a":`: "}"} {
			value := strings.Repeat(open, depth-1) + "[]" + strings.Repeat(closed, depth-1)
			_, err := rawjson.Skim([]byte(`{"result":` + value + `}`))
			if e, ok := errors.AsType[*rawjson.Error](err); (err == nil) != want || err != nil && (!ok || e.Reason != rawjson.TooDeep) {
				t.Errorf("%d levels of %s: %v, want it taken: %v", depth, open, err, want)
			}
		}
	}
}
