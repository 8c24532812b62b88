package spoof

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestSharedCases holds this package against the cases that the front end is held against.
func TestSharedCases(t *testing.T) {
	raw, err := os.ReadFile("../../frontend/src/test/data/spoof.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ As, Text, LookAlikes, Hidden, Looks string }
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 20 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		if c.As == "text" {
			if got := string(LookAlikesInText(c.Text)); got != c.LookAlikes {
				t.Errorf("text %+q: look-alikes %+q, not %+q", c.Text, got, c.LookAlikes)
			}
			continue
		}
		if got := string(LookAlikesInName(c.Text)); got != c.LookAlikes {
			t.Errorf("name %+q: look-alikes %+q, not %+q", c.Text, got, c.LookAlikes)
		}
		if got := string(HiddenInName(c.Text)); got != c.Hidden {
			t.Errorf("name %+q: hidden %+q, not %+q", c.Text, got, c.Hidden)
		}
		if got := LooksLike(c.Text); c.Looks != "" && got != c.Looks {
			t.Errorf("name %+q looks like %+q, not %+q", c.Text, got, c.Looks)
		}
	}
}

func TestHiddenInText(t *testing.T) {
	for text, want := range map[string]string{
		"Reads a file.\n\tIn lines.\r\n": "",
		"Ignore\u200bthis":               "\u200b",
		"a\x1b[31mred":                   "\x1b",
		"see \u202etxt.exe":              "\u202e",
		"tags \U000E0041\U000E0042":      "\U000E0041\U000E0042",
		"⚠\ufe0f careful, 1\ufe0f\u20e3, ❤\ufe0f\u200d🔥, 👩\u200d💻":                       "",
		"letters with a selector a\ufe0f":                                                "\ufe0f",
		"flag \U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F":    "",
		"no flag \U0001F3F4\U000E0072\U000E006D\U000E002D\U000E0072\U000E0066\U000E007F": "\U000E0072\U000E006D\U000E002D\U000E0072\U000E0066\U000E007F",
		"می\u200cخواهم":             "",
		"join\u200dme":              "\u200d",
		"soft\u00adhyphen":          "\u00ad",
		"10\u00a0km, 全角\u3000blank": "",
		"mark\u200fs":               "\u200f",
		"שלום\u200f!":               "",
		"private \ue000":            "\ue000",
	} {
		if got := string(HiddenInText(text)); got != want {
			t.Errorf("%+q: hidden %+q, not %+q", text, got, want)
		}
	}
}

// TestTables holds the two tables against each other, and the ignorable characters
// against Go's own Unicode data.
func TestTables(t *testing.T) {
	raw, err := os.ReadFile("../../frontend/src/ui/spoof-tables.ts")
	if err != nil {
		t.Fatal(err)
	}
	point := regexp.MustCompile(`\\u\{([0-9A-Fa-f]+)\}`)
	page := map[rune]string{}
	for _, m := range regexp.MustCompile(`(?m)^  \['(.+)', '(.+)'\],$`).FindAllStringSubmatch(string(raw), -1) {
		for _, hex := range point.FindAllStringSubmatch(m[2], -1) {
			n, err := strconv.ParseUint(hex[1], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			page[rune(n)] = strings.ReplaceAll(m[1], `\\`, `\`)
		}
	}
	if len(page) != len(looks()) || len(page) < 1000 {
		t.Fatalf("the page knows %d look-alikes, the desk %d", len(page), len(looks()))
	}
	for r, l := range looks() {
		if page[r] != l.text {
			t.Errorf("%U looks like %q on the page, %q here", r, page[r], l.text)
		}
	}
	var ranges strings.Builder
	for _, s := range ignorable {
		fmt.Fprintf(&ranges, `\u{%X}`, s[0])
		if s[1] > s[0] {
			fmt.Fprintf(&ranges, `-\u{%X}`, s[1])
		}
	}
	if !strings.Contains(string(raw), "`"+ranges.String()+"`") {
		t.Error("the page has other ignorable characters")
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !isIgnorable(r) {
			t.Errorf("%U is ignorable", r)
		}
	}
}

// FuzzMarks: what is found stands in the text, in its order, and nothing panics.
func FuzzMarks(f *testing.F) {
	f.Add("d\u0435lete\u200b \U000E0041 a\u2215b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range [][]rune{HiddenInName(text), HiddenInText(text), LookAlikesInName(text), LookAlikesInText(text)} {
			rest := []rune(text)
			for _, r := range found {
				at := 0
				for at < len(rest) && rest[at] != r {
					at++
				}
				if at == len(rest) {
					t.Fatalf("%U is not in %+q, or not in this order", r, text)
				}
				rest = rest[at+1:]
			}
		}
		LooksLike(text)
	})
}
