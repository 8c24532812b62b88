// Command generate writes the tables of hidden characters and look-alikes, for Go and for
// the front end alike, from files of the Unicode Character Database and of UTS 39:
//
//	go run ./backend/spoof/testdata/generate DIR
//
// DIR holds DerivedCoreProperties.txt, UnicodeData.txt, Scripts.txt and confusables.txt of
// one version. Run it in the root of the project; both tables are in git.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: generate DIR")
	}
	u := read(os.Args[1])
	write("backend/spoof/tables.go", u.goSource())
	write("frontend/src/ui/spoof-tables.ts", u.tsSource())
}

// character is what UnicodeData.txt and Scripts.txt say of a code point.
type character struct {
	category, bidi, decomposition, script string
}

// unicode is what is read of the files.
type unicode struct {
	version     string
	characters  map[rune]character
	ignorable   [][2]rune
	confusables map[rune]string
}

func read(dir string) unicode {
	u := unicode{characters: map[rune]character{}, confusables: map[rune]string{}}
	lines(dir, "UnicodeData.txt", func(f []string) {
		u.characters[point(f[0])] = character{category: f[2], bidi: f[4], decomposition: f[5]}
	})
	lines(dir, "Scripts.txt", func(f []string) {
		for r, last := span(f[0]); r <= last; r++ {
			c := u.characters[r]
			c.script = f[1]
			u.characters[r] = c
		}
	})
	lines(dir, "DerivedCoreProperties.txt", func(f []string) {
		if f[1] != "Default_Ignorable_Code_Point" {
			return
		}
		first, last := span(f[0])
		if n := len(u.ignorable); n > 0 && u.ignorable[n-1][1] == first-1 {
			u.ignorable[n-1][1] = last
			return
		}
		u.ignorable = append(u.ignorable, [2]rune{first, last})
	})
	u.version = lines(dir, "confusables.txt", func(f []string) {
		var target strings.Builder
		for _, hex := range strings.Fields(f[1]) {
			target.WriteRune(point(hex))
		}
		u.confusables[point(f[0])] = target.String()
	})
	return u
}

var versionLine = regexp.MustCompile(`^# Version: ([0-9.]+)`)

// lines reads a file of fields that semicolons part, and gives the version that it names.
func lines(dir, name string, each func(fields []string)) (version string) {
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		text := strings.TrimPrefix(s.Text(), "\uFEFF")
		if found := versionLine.FindStringSubmatch(text); found != nil {
			version = found[1]
		}
		text, _, _ = strings.Cut(text, "#")
		fields := strings.Split(text, ";")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) > 1 {
			each(fields)
		}
	}
	return version
}

func point(hex string) rune {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		log.Fatal(err)
	}
	return rune(n)
}

func span(text string) (first, last rune) {
	from, to, ranged := strings.Cut(text, "..")
	if first = point(from); !ranged {
		return first, first
	}
	return first, point(to)
}

// classes are the tables of look-alikes, in the order in which they are written.
var classes = []struct{ name, about string }{
	{"face", "Letters and digits of ASCII in other widths and faces: they deceive in every word."},
	{"foreign", "Letters of other scripts that are written beside Latin ones: they deceive in words that mix both."},
	{"sign", "Signs that pass for those which part paths and addresses."},
	{"odd", "Odd letters and signs of the Latin script itself: words of several languages have them, so they count in names only."},
	{"apart", "Characters of scripts that nobody takes for Latin in a text: they count in names that are made of look-alikes alone."},
}

var (
	alphanumeric = regexp.MustCompile(`^[A-Za-z0-9]+$`)
	separator    = regexp.MustCompile(`^[./\\:]$`)
	apartScripts = []string{"Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"}
	rightToLeft  = []string{"R", "AL", "AN"}
	homeScripts  = []string{"Latin", "Common", "Inherited"}
)

// looks gives what a character looks like in ASCII: its own compatible form where that is
// ASCII, else the prototype of UTS 39, which takes a capital I for l: capitals stay I. "" is none.
func (u unicode) looks(r rune) string {
	if plain := norm.NFKC.String(string(r)); ascii(plain) && (u.confusables[r] != "" || u.drawn(r)) {
		return plain
	}
	switch look := u.confusables[r]; {
	case r == 0x04CF: // the small palochka: UTS 39 takes it for i, and fonts draw it as l
		return "l"
	case !ascii(look):
		return ""
	case look == "l" && u.characters[r].category == "Lu":
		return "I"
	default:
		return look
	}
}

// drawn reports whether a character is another drawing of a letter: of another width or face.
func (u unicode) drawn(r rune) bool {
	d := u.characters[r].decomposition
	return strings.HasPrefix(d, "<font>") || strings.HasPrefix(d, "<wide>") || strings.HasPrefix(d, "<narrow>") ||
		strings.HasPrefix(d, "<small>")
}

func ascii(text string) bool {
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return text != ""
}

// class sorts a look-alike into a table; "" leaves it out.
func (u unicode) class(r rune, look string) string {
	c := u.characters[r]
	letter := strings.HasPrefix(c.category, "L") && c.category != "Lm" || c.category == "Nl" || c.category == "Nd"
	home := slices.Contains(homeScripts, c.script)
	raised := strings.HasPrefix(c.decomposition, "<super>") || strings.HasPrefix(c.decomposition, "<sub>")
	switch {
	case !alphanumeric.MatchString(look) && !separator.MatchString(look):
		return ""
	case slices.Contains(apartScripts, c.script) || slices.Contains(rightToLeft, c.bidi):
		return "apart"
	case separator.MatchString(look) && !letter:
		return "sign"
	case separator.MatchString(look):
		return ""
	case home && letter && !raised && norm.NFKC.String(string(r)) == look:
		return "face"
	case home:
		return "odd"
	case !letter || c.category == "Nd":
		return "apart"
	}
	return "foreign"
}

// row is the look-alikes of one text of ASCII.
type row struct {
	looks      string
	characters []rune
}

// tables gives the rows of each class.
func (u unicode) tables() map[string][]row {
	groups := map[string]map[string][]rune{}
	for r := range u.characters {
		look := ""
		if r > '~' {
			look = u.looks(r)
		}
		class := ""
		if look != "" {
			class = u.class(r, look)
		}
		if class == "" {
			continue
		}
		if groups[class] == nil {
			groups[class] = map[string][]rune{}
		}
		groups[class][look] = append(groups[class][look], r)
	}
	all := map[string][]row{}
	for class, group := range groups {
		for look, characters := range group {
			slices.Sort(characters)
			all[class] = append(all[class], row{look, characters})
		}
		slices.SortFunc(all[class], func(a, b row) int { return strings.Compare(a.looks, b.looks) })
	}
	return all
}

const license = "copyright Unicode, Inc.: https://www.unicode.org/license.txt"

func (u unicode) head() string {
	return fmt.Sprintf("// Code generated by backend/spoof/testdata/generate; DO NOT EDIT.\n"+
		"// Derived from the Unicode Character Database and UTS 39, version %s, %s\n", u.version, license)
}

func (u unicode) goSource() string {
	var b strings.Builder
	b.WriteString(u.head() +
		"\npackage spoof\n\n// ignorable are the characters that are drawn as nothing (Default_Ignorable_Code_Point).\nvar ignorable = [...][2]rune{\n")
	for _, s := range u.ignorable {
		fmt.Fprintf(&b, "\t{0x%04X, 0x%04X},\n", s[0], s[1])
	}
	b.WriteString("}\n")
	tables := u.tables()
	for _, class := range classes {
		fmt.Fprintf(&b, "\n// %s: %s\nvar %s = [...]row{\n", class.name, class.about, class.name)
		for _, row := range tables[class.name] {
			for part := range slices.Chunk(row.characters, 12) {
				fmt.Fprintf(&b, "\t{%q, %+q},\n", row.looks, string(part))
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func (u unicode) tsSource() string {
	var b strings.Builder
	b.WriteString(u.head() +
		"\n/** The characters that are drawn as nothing (Default_Ignorable_Code_Point), for a class of a regular expression. */\nexport const ignorable =\n  String.raw`")
	for _, s := range u.ignorable {
		fmt.Fprintf(&b, `\u{%X}`, s[0])
		if s[1] > s[0] {
			fmt.Fprintf(&b, `-\u{%X}`, s[1])
		}
	}
	b.WriteString("`\n")
	tables := u.tables()
	for _, class := range classes {
		fmt.Fprintf(&b, "\n/** %s */\nexport const %s: readonly (readonly [looks: string, characters: string])[] = [\n", class.about, class.name)
		for _, row := range tables[class.name] {
			for part := range slices.Chunk(row.characters, 12) {
				fmt.Fprintf(&b, "  ['%s', '", strings.ReplaceAll(row.looks, `\`, `\\`))
				for _, r := range part {
					fmt.Fprintf(&b, `\u{%x}`, r)
				}
				b.WriteString("'],\n")
			}
		}
		b.WriteString("]\n")
	}
	return b.String()
}

func write(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}
