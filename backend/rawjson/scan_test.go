package rawjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sekisho/backend/cputime"
	"sekisho/backend/rawjson"
)

func TestCheckTakes(t *testing.T) {
	for _, raw := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `-0.0e-0`, `1E+10`, `123.456e78`, `true`, `false`, `null`,
		" \t\r\n{ } \n", `[1,2 , 3]`, `{"a":{"a":1},"b":{"a":1}}`, `[{"a":1},{"a":1}]`,
		`"\"\\\/\b\f\n\r\t\u0000\uFFFF\uabCD"`, `"\ud83d\ude00"`, "\"\x7f\u2028\U0001F600\uFFFD\"",
		`{"":1," ":2,"A":3,"a":4}`, `{"\u0000":1,"\u0001":2}`, `9007199254740993`, `1e999999`,
	} {
		if err := rawjson.Check([]byte(raw), rawjson.MaxInputDepth); err != nil {
			t.Errorf("Check(%q): %v", raw, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, tt := range []struct {
		raw    string
		reason rawjson.Reason
		offset int
		path   string
	}{
		{``, rawjson.Syntax, 0, "$"},
		{" \n", rawjson.Syntax, 2, "$"},
		{"\xEF\xBB\xBF{}", rawjson.Syntax, 0, "$"},
		{"\u00a0{}", rawjson.Syntax, 0, "$"},
		{"{}\v", rawjson.Trailing, 2, "$"},
		{`{} {}`, rawjson.Trailing, 3, "$"},
		{`1 2`, rawjson.Trailing, 2, "$"},
		{`01`, rawjson.Trailing, 1, "$"},
		{`nulls`, rawjson.Trailing, 4, "$"},
		{`+1`, rawjson.Syntax, 0, "$"},
		{`.5`, rawjson.Syntax, 0, "$"},
		{`-`, rawjson.Syntax, 1, "$"},
		{`1.`, rawjson.Syntax, 2, "$"},
		{`1e+`, rawjson.Syntax, 3, "$"},
		{`0x10`, rawjson.Trailing, 1, "$"},
		{`NaN`, rawjson.Syntax, 0, "$"},
		{`True`, rawjson.Syntax, 0, "$"},
		{`nul`, rawjson.Syntax, 0, "$"},
		{`{a:1}`, rawjson.Syntax, 1, "$"},
		{`{'a':1}`, rawjson.Syntax, 1, "$"},
		{`{"a":1,}`, rawjson.Syntax, 7, "$"},
		{`{"a"}`, rawjson.Syntax, 4, "$.a"},
		{`{"a":}`, rawjson.Syntax, 5, "$.a"},
		{`{"a":1 "b":2}`, rawjson.Syntax, 7, "$"},
		{`{,}`, rawjson.Syntax, 1, "$"},
		{`{`, rawjson.Syntax, 1, "$"},
		{`{"a":[1],"b":[2,{"c":3}],"d":?}`, rawjson.Syntax, 29, "$.d"},
		{`[[1,2],[3],?]`, rawjson.Syntax, 11, "$[2]"},
		{`[1,]`, rawjson.Syntax, 3, "$[1]"},
		{`[,]`, rawjson.Syntax, 1, "$[0]"},
		{`[1 2]`, rawjson.Syntax, 3, "$[0]"},
		{`[1`, rawjson.Syntax, 2, "$[0]"},
		{`[1}`, rawjson.Syntax, 2, "$[0]"},
		{`/* */{}`, rawjson.Syntax, 0, "$"},
		{`"abc`, rawjson.Syntax, 4, "$"},
		{`"abc\`, rawjson.Syntax, 4, "$"},
		{"\"a\nb\"", rawjson.Syntax, 2, "$"},
		{"\"a\x00b\"", rawjson.Syntax, 2, "$"},
		{`"\x41"`, rawjson.Syntax, 1, "$"},
		{`"\u12"`, rawjson.Syntax, 1, "$"},
		{`"\u12G4"`, rawjson.Syntax, 1, "$"},
		{`"\U0041"`, rawjson.Syntax, 1, "$"},
		{`{"a":1,"a":2}`, rawjson.DuplicateKey, 7, "$.a"},
		{`{"path":1,"\u0070ath":2}`, rawjson.DuplicateKey, 10, "$.path"},
		{`{"/":1,"\/":2}`, rawjson.DuplicateKey, 7, `$["/"]`},
		{`{"😀":1,"\uD83D\uDE00":2}`, rawjson.DuplicateKey, 10, `$["\U0001f600"]`},
		{`[0,{"x":[{"":1,"b c":{"k":1,"k":1}}]}]`, rawjson.DuplicateKey, 28, `$[1].x[0]["b c"].k`},
		{"\"\xff\"", rawjson.BadUTF8, 1, "$"},
		{"\"\xed\xa0\x80\"", rawjson.BadUTF8, 1, "$"},
		{"\"\xc0\xaf\"", rawjson.BadUTF8, 1, "$"},
		{"\"\xf4\x90\x80\x80\"", rawjson.BadUTF8, 1, "$"},
		{"{\"a\xe2\x82\":1}", rawjson.BadUTF8, 3, "$"},
		{`"\ud800"`, rawjson.Surrogate, 1, "$"},
		{`"\udc00\ud800"`, rawjson.Surrogate, 1, "$"},
		{`"\ud800\ud800"`, rawjson.Surrogate, 1, "$"},
		{`"\udc00\udc00"`, rawjson.Surrogate, 1, "$"},
		{`"\ud800\n"`, rawjson.Surrogate, 1, "$"},
		{`"\ud800\u004`, rawjson.Surrogate, 1, "$"},
		{`{"\udfff":1}`, rawjson.Surrogate, 2, "$"},
	} {
		err := rawjson.Check([]byte(tt.raw), rawjson.MaxInputDepth)
		var got *rawjson.Error
		if !errors.As(err, &got) {
			t.Errorf("Check(%q) = %v, want %s", tt.raw, err, tt.reason)
			continue
		}
		if want := (rawjson.Error{Offset: tt.offset, Path: tt.path, Reason: tt.reason}); *got != want {
			t.Errorf("Check(%q) = %+v, want %+v", tt.raw, *got, want)
		}
	}
}

func TestCheckDepth(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(strings.Repeat(`{"a":[`, n/2) + strings.Repeat("[]", n%2) + strings.Repeat(`]}`, n/2))
	}
	for _, tt := range []struct {
		raw  []byte
		max  int
		fits bool
	}{
		{[]byte(`1`), 0, true}, {[]byte(`[]`), 0, false}, {[]byte(`{}`), 1, true}, {[]byte(`[{}]`), 1, false},
		{[]byte(`[[],[],{}]`), 2, true}, {deep(128), 128, true}, {deep(129), 128, false},
		{deep(10_000), 1 << 40, true}, {deep(10_001), 1 << 40, false},
	} {
		err := rawjson.Check(tt.raw, tt.max)
		if (err == nil) != tt.fits {
			t.Errorf("Check(%.20s… %d bytes, %d): %v, want fits=%v", tt.raw, len(tt.raw), tt.max, err, tt.fits)
		}
		var e *rawjson.Error
		if errors.As(err, &e) && (e.Reason != rawjson.TooDeep || len(e.Path) > 250) {
			t.Errorf("Check of %d bytes: %v", len(tt.raw), err)
		}
	}
}

// TestHuge holds the promise of linear time with inputs that make a quadratic
// walk, or a deep recursion, last minutes.
func TestHuge(t *testing.T) {
	var keys bytes.Buffer
	keys.WriteByte('{')
	for i := range 300_000 { // comparing each with each would take minutes
		fmt.Fprintf(&keys, `"%x":%d,`, uint32(i)*2654435761, i)
	}
	keys.WriteString(`"end":0}`)
	// Objects out of order on every level, around a large value.
	onion := strings.Repeat(`{"b":`, 9000) + `"` + strings.Repeat("x", 1<<22) + `"` + strings.Repeat(`,"a":0}`, 9000)
	for name, tt := range map[string]struct {
		raw []byte
		ok  bool
	}{
		"keys": {keys.Bytes(), true}, "onion": {[]byte(onion), true},
		"brackets": {bytes.Repeat([]byte("["), 100_000), false},
		"braces":   {bytes.Repeat([]byte(`{"":`), 1_000_000), false},
		"blanks":   {bytes.Repeat([]byte(" "), 10_000_000), false},
	} {
		t.Run(name, func(t *testing.T) {
			start := cputime.Now()
			_, err := rawjson.Canonical(nil, tt.raw)
			if (err == nil) != tt.ok {
				t.Fatalf("Canonical: %v, want ok=%v", err, tt.ok)
			}
			if took := cputime.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestErrorIsShort(t *testing.T) {
	key := strings.Repeat("é\n", 1000)
	raw := strings.Repeat(`{"`+strings.ReplaceAll(key, "\n", `\n`)+`":[`, 100) + `?`
	err := rawjson.Check([]byte(raw), 1000)
	if err == nil || len(err.Error()) > 300 || strings.ContainsRune(err.Error(), '\n') {
		t.Errorf("Check: %v", err)
	}
}
