package notify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"write_file":             "write_file",
		"古い 池":                   "古い 池",
		"a\u00a0b":               "a⟦U+00A0⟧b",
		"\x1b[31mred":            "⟦U+001B⟧[31mred",
		"x\u200by\ufeff":         "x⟦U+200B⟧y⟦U+FEFF⟧",
		"\u2066a\u2069":          "⟦U+2066⟧a⟦U+2069⟧",
		"\U000e0041\u3164\ufe0f": "⟦U+E0041⟧⟦U+3164⟧⟦U+FE0F⟧",
		"\u2028\u2800\u034f":     "⟦U+2028⟧⟦U+2800⟧⟦U+034F⟧",
		"bad\xffutf":             "bad⟦U+FFFD⟧utf",
		"שלום":                   "\u2068שלום\u2069",
		"\u202eשלום":             "\u2068⟦U+202E⟧שלום\u2069",
		strings.Repeat("x", 60):  strings.Repeat("x", 60),
		strings.Repeat("x", 61):  strings.Repeat("x", 60) + "…",
		strings.Repeat("語", 1e5): strings.Repeat("語", 60) + "…",
		strings.Repeat("\n", 99): strings.Repeat("⟦U+000A⟧", 60) + "…",
		"":                       "",
	} {
		if got := plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestEscaped(t *testing.T) {
	if got := escaped(`<img src="x">&amp; &`); got != `&lt;img src="x"&gt;&amp;amp; &amp;` {
		t.Errorf("got %s", got)
	}
}

// FuzzPlain: nothing is left that a reader would not see, and it never gets long.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"a", "\u202e", "\xff", "שלום", "<b>\U000e0041"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := plain(name)
		if rest, ok := strings.CutPrefix(got, "\u2068"); ok {
			got = strings.TrimSuffix(rest, "\u2069")
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) || utf8.RuneCountInString(got) > longest*len("⟦U+10FFFF⟧")+1 {
			t.Errorf("%q: %q", name, got)
		}
	})
}
