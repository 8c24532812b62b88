package upstream

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestACover hides what is a secret, and nothing else.
func TestACover(t *testing.T) {
	c := NewRedactor([]string{"short", "abcdefgh", "", "abcdefgh-more", "efgh-ijkl", `q"u\o/t-e`, "ключик", "\U0001f511-key", "abcdefgh"})
	const m = permission.Mask
	for _, s := range []struct{ text, words, json string }{
		{"", "", ""},
		{"short abcdefg", "", ""},
		{"abcdefgh", m, "abcdefgh"},
		{`"abcdefgh-more" abcdefgh`, `"` + m + `" ` + m, `"` + m + `" abcdefgh`},
		{`"abcdefgh-ijkl"`, `"` + m + `"`, `"` + m + `"`},
		{`"abcdefghabcdefgh"`, `"` + m + m + `"`, `"` + m + m + `"`},
		{`"\u0061bcd\u0065fgh" "a\u0062cdefgh-mor\u0065"`, `"` + m + `" "` + m + `"`, `"` + m + `" "` + m + `"`},
		{`{"q\"u\\o\/t-e":1}`, `{"` + m + `":1}`, `{"` + m + `":1}`},
		{`q"u\o/t-e`, m, `q"u\o/t-e`},
		{`"\nabcdefgh\\abcdefgh\"abcdefgh"`, `"\n` + m + `\\` + m + `\"` + m + `"`, `"\n` + m + `\\` + m + `\"` + m + `"`},
		{`"\u043a\u043B\u044e\u0447ик"`, `"` + m + `"`, `"` + m + `"`},
		{`"\ud83d\udd11-key \ud83d \udd11-key \u12"`, `"` + m + ` \ud83d \udd11-key \u12"`, `"` + m + ` \ud83d \udd11-key \u12"`},
		{`\`, "", ""},
		{`"abcdefgh\`, `"` + m + `\`, `"` + m + `\`},
		{`{"a":"x","b":["\"abcdefgh"]}`, `{"a":"x","b":["\"` + m + `"]}`, `{"a":"x","b":["\"` + m + `"]}`},
	} {
		if s.words == "" && s.json == "" {
			s.words, s.json = s.text, s.text
		}
		if got := c.Text(s.text); got != s.words {
			t.Errorf("%s in words: %s, want %s", s.text, got, s.words)
		}
		if got := c.JSON(s.text); got != s.json {
			t.Errorf("%s in JSON: %s, want %s", s.text, got, s.json)
		}
	}
	if got := NewRedactor([]string{"short"}); got != nil || got.Text(`a\/b`) != `a\/b` || got.JSON(`"a\/b"`) != `"a\/b"` {
		t.Errorf("of nothing: %q", got)
	}
}

// FuzzCover looks for a way to write a secret that is not hidden, and for one that makes a
// JSON text none.
func FuzzCover(f *testing.F) {
	f.Add("secret-1", "before ", " after", uint64(0))
	f.Add(`se"c\ret/2`, `\`, `"`, uint64(0x5a5a))
	f.Add("ключ-\U0001f511", "\n", "\\u00", uint64(7))
	f.Fuzz(func(t *testing.T, secret, before, after string, ways uint64) {
		for _, s := range []*string{&secret, &before, &after} {
			*s = strings.ToValidUTF8(*s, "?")
		}
		c := NewRedactor([]string{secret})
		if c == nil || strings.Contains(before+permission.Mask+after, secret) {
			return
		}
		var out strings.Builder
		for i, r := range secret {
			if plain, _ := json.Marshal(string(r)); ways>>(i%64)&1 == 0 || r > 0xffff {
				out.Write(plain[1 : len(plain)-1])
			} else {
				fmt.Fprintf(&out, `\u%04x`, r)
			}
		}
		begin, _ := json.Marshal(before)
		end, _ := json.Marshal(after)
		text := string(begin[:len(begin)-1]) + out.String() + string(end[1:])
		var reads string
		if err := json.Unmarshal([]byte(c.JSON(text)), &reads); err != nil || strings.Contains(reads, secret) {
			t.Errorf("%s becomes %q: %v", text, reads, err)
		}
		if words := c.Text(text); strings.Contains(words, secret) {
			t.Errorf("%s becomes %s", text, words)
		}
	})
}
