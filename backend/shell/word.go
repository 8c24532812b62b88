package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word is a word of a part, as far as the text tells what the program gets.
type Word struct {
	Text    string // what the program gets; "" where the shell computes some of it
	Literal bool   // it computes nothing
	Glob    bool   // names of files are put in its place
	Raw     string // as it is written
	Start   int    // where in the line, in bytes
	End     int

	Inside     int    // where the text lies in the line letter for letter, or -1
	Head, Tail string // of an open word, how it begins and ends
	Open       bool   // a shell, of whatever kind, has a say in what is between
	Splits     bool   // and may make several words of it
	Likely     string // of a word that is not literal, what bash most likely makes of it; see the function Likely
}

// Pipe reports whether a word is nothing but a pipe that commands write into: <(sort a).
func (w *Word) Pipe() bool {
	inside, is := strings.CutPrefix(w.Raw, "<(")
	odd := strings.ContainsAny(inside, "`$") || strings.Contains(inside, "<(") || strings.Contains(inside, ">(")
	return is && strings.HasSuffix(inside, ")") && !odd
}

// special is what a shell may make other characters of.
const special = `\*?[{`

// wordReader reads the parts of a word twice at once: as bash reads them, and as any
// shell might.
type wordReader struct {
	Word
	bracket bool // the word is [, the program
	text    strings.Builder
	behind  strings.Builder
	before  strings.Builder
}

// ReadWord reads a word of a text.
func ReadWord(text string, w *syntax.Word) Word {
	start, end := Bounds(text, w.Pos(), w.End())
	r := wordReader{Word: Word{Literal: true, Raw: text[start:end], Start: start, End: end, Inside: -1}, bracket: text[start:end] == "["}
	r.parts(w.Parts, false)
	word := r.done()
	if at := strings.Index(r.Raw, word.Text); r.Literal && at >= 0 && len(r.Raw)-len(word.Text) <= 2 {
		word.Inside = start + at
	}
	return word
}

// LiteralText gives what a word is to the shell, if nothing in it is computed.
func LiteralText(text string, w *syntax.Word) (string, bool) {
	word := ReadWord(text, w)
	return word.Text, word.Literal
}

// Bounds are those of a stretch of a text, cut to what there is of it.
func Bounds(text string, from, to syntax.Pos) (int, int) {
	if !from.IsValid() || !to.IsValid() {
		return 0, 0
	}
	start, end := int(from.Offset()), min(int(to.Offset()), len(text))
	return min(start, end), end
}

func (r *wordReader) parts(parts []syntax.WordPart, quoted bool) {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			r.literal(p.Value, quoted, i == 0)
		case *syntax.SglQuoted:
			if r.Literal = r.Literal && !p.Dollar; p.Dollar {
				r.opens()
			}
			r.text.WriteString(p.Value)
			r.add(p.Value)
		case *syntax.DblQuoted:
			r.Literal = r.Literal && !p.Dollar
			r.parts(p.Parts, true)
		case *syntax.CmdSubst:
			if text, ok := HereText(p); ok && quoted {
				r.text.WriteString(text)
				r.add(text)
				continue
			}
			r.computed(quoted)
		case *syntax.ExtGlob:
			r.Glob = true
			r.computed(quoted)
		default:
			r.computed(quoted)
		}
	}
}

// computed adds what the shell computes.
func (r *wordReader) computed(quoted bool) {
	r.Literal, r.Splits = false, r.Splits || !quoted
	r.opens()
}

// HereText is the text of a substitution that only prints a quoted here-document, as agents
// write messages of several lines: $(cat <<'EOF' … EOF).
func HereText(s *syntax.CmdSubst) (text string, ok bool) {
	if len(s.Stmts) != 1 || s.Backquotes || s.TempFile || s.ReplyVar {
		return "", false
	}
	stmt := s.Stmts[0]
	call, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) != 1 || len(call.Assigns) > 0 || len(call.Args) != 1 {
		return "", false
	}
	here := stmt.Redirs[0]
	if call.Args[0].Lit() != "cat" || here.Op != syntax.Hdoc || here.N != nil || here.Hdoc == nil || len(here.Word.Parts) != 1 {
		return "", false
	}
	switch here.Word.Parts[0].(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted: // nothing in it is computed
	default:
		return "", false
	}
	var b strings.Builder
	for _, part := range here.Hdoc.Parts {
		lit, is := part.(*syntax.Lit)
		if !is {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	return strings.TrimRight(b.String(), "\n"), true
}

// opens begins what is not known.
func (r *wordReader) opens() {
	r.Open = true
	r.behind.Reset()
}

// literal adds text in which some characters are special.
func (r *wordReader) literal(text string, quoted, first bool) {
	r.exact(text, quoted, first)
	special := special
	if quoted {
		special = `\`
	}
	r.loose(text, special)
}

// exact adds text as bash reads it.
func (r *wordReader) exact(text string, quoted, first bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0):
			if i++; text[i] != '\n' {
				r.text.WriteByte(text[i])
			}
			continue
		case quoted:
		case c == '*', c == '?', c == '[' && !r.bracket:
			r.Literal, r.Glob = false, true
		case c == '{' && !Lone(text[i:]), c == '~' && first && i == 0:
			r.Literal = false
		}
		r.text.WriteByte(text[i])
	}
}

// Lone reports whether a text begins with braces that mean themselves, as in HEAD@{1}.
func Lone(text string) bool {
	end := strings.IndexByte(text, '}')
	return end >= 0 && !strings.ContainsAny(text[1:end], ",.{") && !strings.Contains(text[end:], "{")
}

// loose adds text as any shell may read it.
func (r *wordReader) loose(text, special string) {
	first, last := strings.IndexAny(text, special), strings.LastIndexAny(text, special+"]},")
	if first >= 0 {
		r.add(text[:first])
		r.Open = true
	}
	if r.Open && last >= 0 {
		r.behind.Reset()
		text = text[last+1:]
	}
	r.add(text)
}

// add adds text that means itself to what any shell may read.
func (r *wordReader) add(text string) {
	if r.Open {
		r.behind.WriteString(text)
	} else {
		r.before.WriteString(text)
	}
}

// done gives the word.
func (r *wordReader) done() Word {
	if r.Literal {
		r.Text = r.text.String()
	}
	if r.Head, r.Tail = r.before.String(), r.behind.String(); r.Splits {
		r.Head, r.Tail = "", ""
	}
	return r.Word
}

// Plain is a word that no shell reads.
func Plain(text string) Word {
	return Word{Text: text, Literal: true, Raw: text, Head: text, Inside: -1}
}

// Shown is the word without its quotes, as it is written where a shell computes some of it.
func (w Word) Shown() string {
	if w.Literal {
		return w.Text
	}
	return unquoted.Replace(w.Raw)
}

var unquoted = strings.NewReplacer(`"`, "", "'", "", `\`, "")

// Known is the word, or how it begins where not all of it is known.
func (w Word) Known() string {
	if w.Literal {
		return w.Text
	}
	return w.Head
}

// Dashed is a word with a dash before it, if it has none.
func (w Word) Dashed() Word {
	if strings.HasPrefix(w.Known(), "-") {
		return w
	}
	w.Head = "-" + w.Head
	if w.Literal {
		w.Text = "-" + w.Text
	}
	return w
}
