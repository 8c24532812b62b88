package backend_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// document is a Markdown file of the repository.
type document struct {
	name  string // path from the module's root
	prose string // without its blocks of code
	code  []string
}

// documents loads the documents below root; code has the lines of blocks and the spans.
func documents(t *testing.T, root string) (all []document) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			inside, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, read(filepath.ToSlash(inside), string(text)))
		}
	}
	return all
}

var span = regexp.MustCompile("`[^`]+`")

func read(name, text string) document {
	d := document{name: name}
	for i, part := range regexp.MustCompile("(?m)^```.*$").Split(text, -1) {
		if i%2 == 0 {
			d.prose += part
		} else {
			d.code = append(d.code, strings.Split(part, "\n")...)
		}
	}
	for _, s := range span.FindAllString(d.prose, -1) {
		d.code = append(d.code, strings.Trim(s, "`"))
	}
	return d
}

// mostWords bounds the documents that everyone reads first.
var mostWords = map[string]int{"README.md": 899, "CONTRIBUTING.md": 900}

// TestDocuments holds what the documents name against what is there. The commands of
// sekisho and sekishod are held by these programs' tests, the REST paths by those of rest.
func TestDocuments(t *testing.T) {
	h := thisHouse(t)
	all := documents(t, "..")
	for name := range mostWords {
		if !slices.ContainsFunc(all, func(d document) bool { return d.name == name }) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, complaint := range checkDocuments(all, known(t, h)) {
		t.Error(complaint)
	}
	for name, most := range mostWords {
		text, err := os.ReadFile("../" + name)
		if n := len(strings.Fields(string(text))); err != nil || n > most {
			t.Errorf("%s has %d words, of which %d are the most (%v)", name, n, most, err)
		}
	}
}

// facts are what documents may name.
type facts struct {
	isFile  func(name string) bool // by path from the module's root
	targets string                 // the Makefile
	scripts string                 // package.json of the front end
	desktop []string               // words in the window's sources
	words   []string               // words in the sources of all three programs
}

func known(t *testing.T, h house) facts {
	t.Helper()
	f := facts{isFile: func(name string) bool {
		_, err := os.Stat(filepath.Join("..", name))
		return err == nil
	}}
	for name, text := range map[string]*string{"Makefile": &f.targets, "frontend/package.json": &f.scripts} {
		raw, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		*text = string(raw)
	}
	for _, s := range h.sources {
		if s.test || s.room != "/" && s.room != "terminal" && !strings.HasPrefix(s.room, "cmd/") {
			continue
		}
		words := literals(s.file)
		f.words = append(f.words, words...)
		if s.room == "/" {
			f.desktop = append(f.desktop, words...)
		}
	}
	return f
}

func literals(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	target  = regexp.MustCompile(`(?:^|\s)make ([a-z-]+)`)
	script  = regexp.MustCompile(`npm run ([a-z0-9:]+)`)
	option  = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

func checkDocuments(all []document, f facts) (complaints []string) {
	for _, d := range all {
		for _, m := range link.FindAllStringSubmatch(d.prose, -1) {
			if !scheme.MatchString(m[1]) && !leads(all, f, d, m[1]) {
				complaints = append(complaints, fmt.Sprintf("%s: the link to %s leads nowhere", d.name, m[1]))
			}
		}
		for _, line := range d.code {
			line, _, _ = strings.Cut(line, "#")
			for _, m := range target.FindAllStringSubmatch(line, -1) {
				if !strings.Contains("\n"+f.targets, "\n"+m[1]+":") {
					complaints = append(complaints, fmt.Sprintf("%s: there is no make %s", d.name, m[1]))
				}
			}
			for _, m := range script.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(f.scripts, strconv.Quote(m[1])+":") {
					complaints = append(complaints, fmt.Sprintf("%s: there is no npm run %s", d.name, m[1]))
				}
			}
			complaints = append(complaints, checkOptions(d.name, line, f)...)
		}
	}
	return complaints
}

// checkOptions wants the options of the window's program, and those that stand without any
// program, to be words of the sources.
func checkOptions(name, line string, f facts) (complaints []string) {
	words := f.words
	switch _, after, of := strings.Cut(line, "sekisho-desktop"); {
	case of:
		line, words = after, f.desktop
	case !strings.HasPrefix(line, "--"):
		return nil
	}
	for _, m := range option.FindAllStringSubmatch(line, -1) {
		if !slices.Contains(words, m[1]) && m[1] != "help" && m[1] != "version" {
			complaints = append(complaints, fmt.Sprintf("%s: there is no option --%s", name, m[1]))
		}
	}
	return complaints
}

// leads reports whether a link of a document leads to a file and, where it names one, a
// heading.
func leads(all []document, f facts, from document, to string) bool {
	name, anchor, _ := strings.Cut(to, "#")
	if name = path.Join(path.Dir(from.name), name); strings.HasPrefix(to, "#") {
		name = from.name
	}
	if anchor == "" {
		return f.isFile(name)
	}
	i := slices.IndexFunc(all, func(d document) bool { return d.name == name })
	if i < 0 {
		return false
	}
	headings := heading.FindAllStringSubmatch(all[i].prose, -1)
	return slices.ContainsFunc(headings, func(m []string) bool { return slug(m[1]) == anchor })
}

// slug is the anchor of a heading, as GitHub makes it.
func slug(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N}_\- ]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// TestDocumentsPlanted: each fault is found, and what is right is let be.
func TestDocumentsPlanted(t *testing.T) {
	f := facts{
		isFile: func(name string) bool { return name == "docs/b.md" || name == "a.png" }, targets: "run: x\n\ttest\n", scripts: `{"e2e": "x"}`,
		desktop: []string{"hidden"}, words: []string{"hidden", "yes"},
	}
	const fence = "```"
	for text, want := range map[string]string{
		"[b](docs/b.md) ![a](a.png) [c](https://example.com/#x) [d](docs/b.md#what-is-sure-and-why) [e](#a)\n# A":                "",
		"run `make run`, `npm run e2e`, `sekisho-desktop --hidden`, `--yes` and\n" + fence + "\nmake run # make haste\n" + fence: "",
		"[b](docs/c.md)":                   "leads nowhere",
		"[b](docs/b.md#what)":              "leads nowhere",
		"[b](#b)":                          "leads nowhere",
		"`make test`":                      "no make test",
		fence + "\nx && make it\n" + fence: "no make it",
		"`npm run e2`":                     "no npm run e2",
		"`--no`":                           "no option --no",
		"`sekisho-desktop --yes`":          "no option --yes",
	} {
		got := strings.Join(checkDocuments([]document{read("README.md", text), read("docs/b.md", "## What is sure, and *why*")}, f), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
