package rawjson_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"sekisho/backend/rawjson"
)

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{` { } `, `{}`},
		{`[ 1 , [ ] , { "a" : null } ]`, `[1,[],{"a":null}]`},
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`},
		{`{"b":{"d":[{"z":1,"y":2}],"c":0} , "a":{"f":3,"e":4} }`, `{"a":{"e":4,"f":3},"b":{"c":0,"d":[{"y":2,"z":1}]}}`},
		{`{"aa":1,"a":2,"":3}`, `{"":3,"a":2,"aa":1}`},
		{`{"a":{"b":1,"a":2} }`, `{"a":{"a":2,"b":1}}`},

		// Numbers keep their spelling, also where doubles would agree.
		{`[9007199254740993,5.0,1e2,-0,1E+2,0.10]`, `[9007199254740993,5.0,1e2,-0,1E+2,0.10]`},

		// The strings of RFC 8785 section 3.2.2: only what must be escaped is.
		{`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, `"€$\u000f\nA'B\"\\\\\"/"`},
		{`"\b\t\n\f\r\u0008\u0009\u000a\u000c\u000d\u000b\u0000\u001F"`, `"\b\t\n\f\r\b\t\n\f\r\u000b\u0000\u001f"`},
		{`"\u007f\u2028\u2029\u00e9"`, "\"\x7f\u2028\u2029é\""},
		{`"\ud83d\ude02 \uFFFD"`, "\"😂 \uFFFD\""},

		// The keys of RFC 8785 section 3.2.3: sorted by code units, so that a
		// character beyond the BMP comes before U+FB33.
		{`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{`{"\ue000":1,"\ud800\udc00":2,"\ud7ff":3,"\uffff":4,"\udbff\udfff":5}`,
			"{\"\ud7ff\":3,\"\U00010000\":2,\"\U0010ffff\":5,\"\ue000\":1,\"\uffff\":4}"},
		{`{"a\ue000":1,"a\ud800\udc00":2,"a":3}`, "{\"a\":3,\"a\U00010000\":2,\"a\ue000\":1}"},
	} {
		got, err := rawjson.Canonical([]byte("kept"), []byte(tt.raw))
		if err != nil || string(got) != "kept"+tt.want {
			t.Errorf("Canonical(%s)\n got %s, %v\nwant kept%s", tt.raw, got, err, tt.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, raw := range []string{``, `{"a":1,"a":1}`, `[1,]`, "\"\xff\"", `"\ud800"`, `{} {}`} {
		got, err := rawjson.Canonical([]byte("kept"), []byte(raw))
		if err == nil || string(got) != "kept" {
			t.Errorf("Canonical(%q) = %s, %v", raw, got, err)
		}
	}
}

func TestHash(t *testing.T) {
	server, quoted := "filesystem", `a"b`
	for _, tt := range []struct {
		server *string
		tool   string
		input  string
		hashed string
	}{
		{&server, "read_file", `{ "path" : "\u0061.txt" }`, `["filesystem","read_file",{"path":"a.txt"}]`},
		{nil, "read_file", `{}`, `[null,"read_file",{}]`},
		{&quoted, "x\ny", `[1.0,2]`, `["a\"b","x\ny",[1.0,2]]`},
	} {
		sum := sha256.Sum256([]byte(tt.hashed))
		want := "sha256:" + hex.EncodeToString(sum[:])
		got, err := rawjson.Hash(tt.server, tt.tool, []byte(tt.input))
		if err != nil || got != want {
			t.Errorf("Hash(%s) = %s, %v, want %s", tt.hashed, got, err, want)
		}
	}
}

func TestHashTellsApart(t *testing.T) {
	null, a, ab := "null", "a", "a,b"
	seen := map[string]string{}
	for name, c := range map[string]struct {
		server *string
		tool   string
		input  string
	}{
		"no server": {nil, "t", `{}`}, "server null": {&null, "t", `{}`},
		"a/b,c": {&a, "b,c", `{}`}, "a,b/c": {&ab, "c", `{}`},
		"5": {&a, "t", `{"n":5}`}, "5.0": {&a, "t", `{"n":5.0}`}, "string 5": {&a, "t", `{"n":"5"}`},
		"2^53": {&a, "t", `{"n":9007199254740992}`}, "2^53+1": {&a, "t", `{"n":9007199254740993}`},
		"ord": {&a, "t", `[1,2]`}, "order": {&a, "t", `[2,1]`},
		"composed": {&a, "t", `"é"`}, "decomposed": {&a, "t", `"e\u0301"`},
	} {
		h, err := rawjson.Hash(c.server, c.tool, []byte(c.input))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		seen[h] = name
	}
}

func TestHashRefuses(t *testing.T) {
	bad := "a\xff"
	for _, c := range []struct {
		server *string
		tool   string
		input  string
	}{{&bad, "t", `{}`}, {nil, bad, `{}`}, {nil, "t", ``}, {nil, "t", `{}]`}, {nil, "t", `1,2`}} {
		if h, err := rawjson.Hash(c.server, c.tool, []byte(c.input)); err == nil {
			t.Errorf("Hash(%v, %q, %q) = %s", c.server, c.tool, c.input, h)
		}
	}
}

func TestSum(t *testing.T) {
	const want = "df765c5ebdd63f9f3c559da30c9f75d6dc6dca0f59bfa8291682bc67beda78ba" // of {"a":"<é","n":1.0}
	for name, v := range map[string]any{
		"document": json.RawMessage(`{ "n" : 1.0, "a": "\u003c\u00e9" }`),
		"value": struct {
			N json.Number `json:"n"`
			A string      `json:"a"`
		}{"1.0", "<é"},
	} {
		if got, err := rawjson.Sum(v); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for name, v := range map[string]any{"duplicate": json.RawMessage(`{"a":1,"a":2}`), "not JSON": json.RawMessage(`{`),
		"no value": func() {}} {
		if got, err := rawjson.Sum(v); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAppendStringIsThatOfEncodingJSON(t *testing.T) {
	for _, s := range []string{"", "a", "\"\\\b\t\n\f\r\x01\x7f", "<&>\u2028", "日本𝄞", "\xff\xfea\xed\xa0\x80", "\ufffd"} {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := rawjson.Canonical(nil, raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := rawjson.AppendString([]byte("x"), s); string(got) != "x"+string(want) {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}
