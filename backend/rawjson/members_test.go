package rawjson_test

import (
	"errors"
	"testing"

	"sekisho/backend/rawjson"
)

func TestMembers(t *testing.T) {
	raw := []byte(" { \"b\" :\t{\"x\": [1, 2]} ,\"\\u0061\":1e2,\"\":\"\\n\" } ")
	got, err := rawjson.Members(raw)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ key, rawKey, value string }{
		{"b", `"b"`, `{"x": [1, 2]}`}, {"a", `"\u0061"`, `1e2`}, {"", `""`, `"\n"`},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d members, want %d", len(got), len(want))
	}
	for i, w := range want {
		m := got[i]
		if m.Key != w.key || string(m.RawKey) != w.rawKey || string(m.Value) != w.value {
			t.Errorf("member %d = %q %s %s, want %q", i, m.Key, m.RawKey, m.Value, w)
		}
		if string(raw[m.ValueStart:m.ValueEnd]) != w.value || &raw[m.ValueStart] != &m.Value[0] {
			t.Errorf("member %d: Value is not raw[%d:%d]", i, m.ValueStart, m.ValueEnd)
		}
	}
}

func TestMembersOfEmpty(t *testing.T) {
	if got, err := rawjson.Members([]byte(" {} ")); err != nil || len(got) != 0 {
		t.Errorf("Members({}) = %v, %v", got, err)
	}
}

func TestMembersRefuses(t *testing.T) {
	for raw, reason := range map[string]rawjson.Reason{
		`[]`: rawjson.NotObject, ` [{"a":1}]`: rawjson.NotObject, `"{}"`: rawjson.NotObject, `null`: rawjson.NotObject,
		``: rawjson.Syntax, `{"a":1`: rawjson.Syntax, `{"a":1} x`: rawjson.Trailing,
		`{"a":1,"a":2}`: rawjson.DuplicateKey, `{"a":{"b":1,"\u0062":2}}`: rawjson.DuplicateKey,
	} {
		got, err := rawjson.Members([]byte(raw))
		var e *rawjson.Error
		if got != nil || !errors.As(err, &e) || e.Reason != reason {
			t.Errorf("Members(%s) = %v, %v, want %s", raw, got, err, reason)
		}
	}
}
