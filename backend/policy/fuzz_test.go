package policy_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// FuzzNames throws any name at the judge: what is not plainly good is never allowed,
// what an exact deny rule names is denied, and nothing panics.
func FuzzNames(f *testing.F) {
	for name := range badNames {
		f.Add(name, "fs", uint64(0))
	}
	for i, name := range goodNames {
		f.Add("x", name, uint64(i))
	}
	f.Fuzz(func(t *testing.T, tool, server string, seed uint64) {
		checkRandom(t, seed, map[permission.Effect]int{})
		c := policy.Call{ServerID: &server, ToolName: tool}
		s := allowAll()
		d := s.Decide(c, rulestest.Now)
		checkTrace(t, s, c, rulestest.Now, d)
		if (d.NameIssue == "") != (d.Effect == permission.Allow) {
			t.Fatalf("%q %q: %+v", server, tool, d)
		}
		for _, r := range d.Reason {
			if r < ' ' || r > '~' {
				t.Fatalf("%q %q: the reason carries %U: %q", server, tool, r, d.Reason)
			}
		}
		deny := policy.Compile([]permission.Rule{{ID: "no", ToolName: &tool, Effect: permission.Deny, Enabled: true}}, 0)
		if deny.Len() == 1 && deny.Decide(c, rulestest.Now).Effect != permission.Deny {
			t.Fatalf("%q %q is not denied", server, tool)
		}
	})
}

// FuzzRules makes rules of any texts, with a condition of any text in one of them. It
// allows only where the model could: a condition that compiles may be true or not, and
// one that does not compile is false for allow and true for the others.
func FuzzRules(f *testing.F) {
	f.Add("read_*", "*e*d*", "input.path == 'x'", `{"path":"x"}`, "read_x", uint16(3))
	f.Add("*\n", "**", "1", ``, "x\n", uint16(77))
	f.Add("\xff", "", "input.", `{"a":1,"a":2}`, "\xff", uint16(1234))
	f.Add("K*", "é*É", "input.l.all(x, x.matches(x))", `{"l":["a","("]}`, "k", uint16(999))
	f.Fuzz(func(t *testing.T, first, second, condition, input, tool string, bits uint16) {
		text := func(s string, want bool) *string {
			if want {
				return &s
			}
			return nil
		}
		var rules []permission.Rule
		for i, pattern := range []string{first, second, tool} {
			r := permission.Rule{ID: permission.RuleID(rune('a' + i)), Effect: rulestest.World.Effects[int(bits>>(2*i)&3)%3], Enabled: true,
				Priority: int64(bits >> (6 + i) & 1)}
			r.AutoApprove = r.Effect == permission.Allow
			r.ToolPattern, r.ToolName = text(pattern, bits>>(9+i)&1 == 0), text(pattern, bits>>(12+i)&1 == 1)
			r.Condition = text(condition, i == int(bits)%4)
			if r.Valid() == nil {
				rules = append(rules, r)
			}
		}
		c := policy.Call{ToolName: tool, Input: json.RawMessage(input)}
		s := policy.Compile(nil, 0).Edit(rules, nil, 1)
		d := s.Decide(c, rulestest.Now)
		for range 3 {
			checkTrace(t, s, c, rulestest.Now, d)
		}
		if d.Effect == permission.Allow && plainASCII(tool) && !couldAllow(rules, c) {
			list, _ := json.Marshal(rules)
			t.Fatalf("%q %q is allowed by %s", tool, input, list)
		}
	})
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// couldAllow reports whether the model allows for some outcome of the conditions that
// compile.
func couldAllow(rules []permission.Rule, c policy.Call) bool {
	for _, holds := range []bool{true, false} {
		var known []permission.Rule
		for _, r := range rules {
			applies := holds
			if policy.CheckRule(&r) != nil {
				applies = r.Effect != permission.Allow
			}
			if r.Condition == nil || applies {
				r.Condition = nil
				known = append(known, r)
			}
		}
		if effect, _ := rulestest.Model(known, c, rulestest.Now); effect == permission.Allow {
			return true
		}
	}
	return false
}

// plainOf is a value of CEL as Go has it.
func plainOf(v ref.Val) any {
	switch v := v.(type) {
	case traits.Mapper:
		all := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			all[string(key.(types.String))] = plainOf(v.Get(key))
		}
		return all
	case traits.Lister:
		all := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			all = append(all, plainOf(it.Next()))
		}
		return all
	case types.Null:
		return nil
	}
	return v.Value()
}

// numbered gives the numbers of decoded JSON as conditions have them.
func numbered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = numbered(v[key])
		}
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil && !strings.ContainsAny(v.String(), ".eE") {
			return i
		}
		f, _ := strconv.ParseFloat(v.String(), 64)
		return f
	}
	return v
}

// FuzzInput holds the input that conditions see against what encoding/json reads.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "a" : [ 1 , -2.5e3,true ,null, "x\\\"\u00e9\ud83d\ude00" ] , "b\n":{"c":[]} } `, `[]`, `"x"`, `-0`, `1e999`,
		`9007199254740993`, `12345678901234567890`, `{"a":{}}`, `[[],[[]]]`, `false`, `[1,]`, `{"a":1,"a":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		v, err := policy.ReadInput([]byte(raw))
		if err != nil || raw == "" {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader([]byte(raw)))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q is read, and is no JSON: %v", raw, err)
		}
		if got := plainOf(v); !reflect.DeepEqual(got, numbered(want)) {
			t.Fatalf("%q is %#v, want %#v", raw, got, want)
		}
	})
}
