package filter

import (
	"slices"
	"strings"
)

// AwkPrints reports whether a program of awk only compares and prints: it opens no file and no program. Where versions of awk
// read a text in different ways it does not.
func AwkPrints(text string) bool {
	if len(text) > 4096 {
		return false
	}
	l := awkLexer{text: text, last: ";"}
	for l.next() {
	}
	return !l.odd
}

// awkLexer reads the tokens of a program of awk.
type awkLexer struct {
	text string
	at   int
	last string // the token before; of names it is "a", of other values "1"
	odd  bool   // it does more than print, or that cannot be told

	prints bool     // within the arguments of print
	open   []string // the tokens before the brackets that are open
	inside int      // how many of them were open where print stood
	tests  bool     // the bracket that was closed last is that of a condition
}

// awkActs are names of what opens a file, runs a program, or shows more than the input.
var awkActs = strings.Fields("system getline ENVIRON ARGV ARGC PROCINFO SYMTAB FUNCTAB close fflush")

// awkWords are names behind which an operand stands.
var awkWords = strings.Fields("print printf return in case if while for do else delete exit BEGIN END func function switch")

// awkGoesOn are the tokens behind which a statement goes on in the next line.
var awkGoesOn = strings.Fields(", { && || do else ? :")

// awkTwo are the operators of two signs.
var awkTwo = strings.Fields("|| && >> |& >= ++ --")

// next reads a token. It is false at the end, and where the program does more than print.
func (l *awkLexer) next() bool {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t' || l.text[l.at] == '\r') {
		l.at++
	}
	if l.at >= len(l.text) || l.odd {
		return false
	}
	rest := l.text[l.at:]
	switch c := rest[0]; {
	case c == '\\':
		l.odd = !strings.HasPrefix(rest, "\\\n") || l.at > 0 && isName(l.text[l.at-1]) && len(rest) > 2 && isName(rest[2])
		l.at += 2
	case c == '#':
		end := lineEnd(rest)
		l.odd = strings.HasSuffix(rest[:end], `\`) // some go on behind it
		l.at += end
	case c == '"':
		l.quoted()
	case c == '/' && l.divides():
		l.token("/")
	case c == '/':
		l.pattern()
	case c >= '0' && c <= '9':
		for l.at < len(l.text) && (isName(l.text[l.at]) || l.text[l.at] == '.') {
			l.at++
		}
		l.last = "1"
	case isName(c):
		l.name()
	default:
		l.operator(rest)
	}
	return !l.odd
}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// quoted reads a string.
func (l *awkLexer) quoted() {
	for l.at++; l.at < len(l.text) && l.text[l.at] != '"'; l.at++ {
		if l.text[l.at] == '\\' {
			l.at++
		}
		l.odd = l.odd || l.at < len(l.text) && l.text[l.at] == '\n'
	}
	l.odd = l.odd || l.at >= len(l.text)
	l.at++
	l.last = "1"
}

// divides reports whether a stroke stands behind a value. Behind some tokens that is not known.
func (l *awkLexer) divides() bool {
	l.odd = l.odd || l.last == "++" || l.last == "--" || l.last == "length" || l.last == "$" || l.last == ")" && l.tests
	return slices.Contains([]string{"a", "1", ")", "]"}, l.last)
}

// pattern reads a regular expression. A stroke between square brackets ends it for some versions.
func (l *awkLexer) pattern() {
	square := -1
	for l.at++; l.at < len(l.text) && (l.text[l.at] != '/' || square >= 0); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\\':
			l.at++
			l.odd = l.odd || strings.HasPrefix(l.text[min(l.at, len(l.text)):], "\n")
		case c == '\n', c == '/':
			l.odd = true
		case c == '[' && square < 0:
			if square = l.at; l.at+1 < len(l.text) && l.text[l.at+1] == '^' {
				l.at++
				square++
			}
		case c == ']' && square >= 0 && l.at > square+1:
			square = -1
		}
	}
	l.odd = l.odd || l.at >= len(l.text)
	l.at++
	l.last = "1"
}

// name reads a name.
func (l *awkLexer) name() {
	start := l.at
	for l.at < len(l.text) && isName(l.text[l.at]) {
		l.at++
	}
	switch name := l.text[start:l.at]; {
	case slices.Contains(awkActs, name):
		l.odd = true
	case name == "print" || name == "printf":
		l.prints, l.inside, l.last = true, len(l.open), name
	case slices.Contains(awkWords, name) || name == "length":
		l.last = name
	default:
		l.last = "a"
	}
}

// operator reads what is neither a name nor a value.
func (l *awkLexer) operator(rest string) {
	sign := rest[:1]
	if len(rest) > 1 && slices.Contains(awkTwo, rest[:2]) {
		sign = rest[:2]
	}
	switch sign {
	case "@", "|", "|&", "'", "`":
		l.odd = true
	case ">", ">>":
		begins := slices.Contains([]string{"\n", ";", "{", "}"}, l.last)
		l.odd = begins || l.prints && (len(l.open) <= l.inside || l.open[len(l.open)-1] == "[")
	case "(", "[":
		before := l.last
		if sign == "[" {
			before = sign
		}
		l.open = append(l.open, before)
	case ")", "]":
		if l.odd = len(l.open) == 0 || (l.open[len(l.open)-1] == "[") != (sign == "]"); !l.odd {
			l.tests = slices.Contains([]string{"if", "while", "for", "switch"}, l.open[len(l.open)-1])
			l.open = l.open[:len(l.open)-1]
		}
	case ";", "}", "{":
		l.prints = l.prints && len(l.open) > l.inside
	case "\n":
		l.prints = l.prints && (len(l.open) > l.inside || slices.Contains(awkGoesOn, l.last))
	}
	l.token(sign)
}

func (l *awkLexer) token(sign string) {
	l.at += len(sign)
	if sign != "\n" || !slices.Contains(awkGoesOn, l.last) {
		l.last = sign
	}
}
