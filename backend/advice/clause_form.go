package advice

import (
	"slices"
	"strconv"
	"strings"

	"sekisho/backend/permission"
)

// form is how a clause stands in a condition: CEL with holes.
//
//	$K  a member of the input        $M  a member of a part
//	$O  operands, the member of a part that the clause is said of
//	$S  a text                       $L  a list of texts
//	$J  true, false, null or a whole number
//	$U  under(o, …), or several of them with || between
//	$G  the same, in brackets where there are several
//	$P  what is said of parts
type form struct {
	code   permission.ClauseCode
	pieces []piece
}

// piece is CEL, or a hole.
type piece struct {
	text   string
	tokens []token
	hole   byte
}

// capture is what fills the holes of a form.
type capture struct {
	key   string
	texts []string
	parts [][]permission.PartClause
}

// ofLine is the line under a member of the input.
const ofLine = "shell($K)"

// notGit says that a member of the input is none of the files that git keeps.
var notGit = "!$K.matches(" + quote(ofGit.String()) + ")"

// clauseForms are the clauses that are known. A form is read before those below it.
var clauseForms = formsOf([][2]string{
	{"equals", "$K == $S"},
	{"literal", "$K == $J"},
	{"one_of", "$K in $L"},
	{"begins", "$K.startsWith($S)"},
	{"ends", "$K.endsWith($S)"},
	{"contains", "$K.contains($S)"},
	{"lacks", "!$K.contains($S)"},
	{"has", "has($K)"},
	{"has_not", "!has($K)"},
	{"under", "under($K, $S)"},
	{"not_git", notGit},
	{"host", "host($K) in $L"},
	{"only_members", "input.all(k, k in $L)"},
	{"no_members", "!input.exists(k, k in $L)"},
	{"readers", "input.all(k, k in " + quoteAll(readerPaths) + " ? under(input[k], $S) && " + besideGit("input[k]") + " : k in " +
		quoteAll(readerWords) + ")"},
	{"sql", "sql($K) == $L"},
	{"run_under", `under(".", $S)`},
	{"folder", "cwd == $S"},
	{"agent", "agent.id == $S"},
	{"agents", "agent.id in $L"},
	{"agent_name", "agent.name == $S"},
	{"session", "sessionId == $S"},
	{"risk", "risk == $S"},
	{"risk_not", "risk != $S"},
	{"own_tools", "serverId == null"},
	{"tools", "toolName in $L"},
	{"reading_names", "toolName.matches(" + quote(saysReading.String()) + ")"},
	{"harmless_names", "!toolName.matches(" + quote(saysMore.String()) + ")"},
	{"programs", ofLine + ".names.all(n, n in $L)"},
	{"clear", "!" + ofLine + ".opaque"},
	{"looking", ofLine + looking},
	{"parts", ofLine + ".parts.all(p, $P)"},
})

// partForms are what is said of a part.
var partForms = formsOf([][2]string{
	{"names", "p.name in $L"},
	{"exactly", "p.$M == $L"},
	{"among", "p.$M.all(o, o in $L)"},
	{"in", "p.$M.all(o, $U)"},
	{"in_not_git", "p.$M.all(o, $G && " + besideGit("o") + ")"},
	{"hosts", "p.$M.all(o, host(o) in $L)"},
	{"beside_folder", `p.$O.filter(o, !(o.contains("/") && under(o, $S) && ` + besideGit("o") + ")) == $L"},
	{"not_alone", ofLine + ".parts.size() > 1"},
})

// ofOperands is the member of a part that names what it works on.
const ofOperands = token("operands")

// membersOfPart are what a part has lists of.
var membersOfPart = []token{"options", "operands", "writes", "effects", "changes", "chosen"}

func formsOf(list [][2]string) []form {
	forms := make([]form, len(list))
	for i, of := range list {
		forms[i] = form{permission.ClauseCode(of[0]), piecesOf(of[1])}
	}
	return forms
}

// piecesOf cuts a form at its holes. A $ before a bracket belongs to a regular expression.
func piecesOf(text string) (pieces []piece) {
	from := 0
	add := func(to int) {
		if to > from {
			tokens, _ := tokensOf(text[from:to])
			pieces = append(pieces, piece{text: text[from:to], tokens: tokens})
		}
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '$' && strings.IndexByte("KMOSLJUGP", text[i+1]) >= 0 {
			add(i)
			pieces, from = append(pieces, piece{hole: text[i+1]}), i+2
		}
	}
	add(len(text))
	return pieces
}

// formNamed is the form of a code; one that is not known has no pieces.
func formNamed(forms []form, code permission.ClauseCode) form {
	if at := slices.IndexFunc(forms, func(f form) bool { return f.code == code }); at >= 0 {
		return forms[at]
	}
	return form{}
}

// read takes the form off the beginning of tokens.
func (f *form) read(tokens []token) (got capture, rest []token, ok bool) {
	got.texts = []string{}
	for _, p := range f.pieces {
		if p.hole == 0 {
			if len(tokens) < len(p.tokens) || !slices.Equal(tokens[:len(p.tokens)], p.tokens) {
				return got, nil, false
			}
			tokens = tokens[len(p.tokens):]
			continue
		}
		if tokens, ok = got.fill(p.hole, tokens); !ok {
			return got, nil, false
		}
	}
	return got, tokens, true
}

// fill takes what a hole holds off the beginning of tokens.
func (got *capture) fill(hole byte, tokens []token) (rest []token, ok bool) {
	switch hole {
	case 'K':
		got.key, rest, ok = readMember(tokens)
	case 'M':
		if ok = len(tokens) > 0 && slices.Contains(membersOfPart, tokens[0]); ok {
			got.key, rest = string(tokens[0]), tokens[1:]
		}
	case 'O':
		if ok = len(tokens) > 0 && tokens[0] == ofOperands; ok {
			got.key, rest = string(tokens[0]), tokens[1:]
		}
	case 'S':
		if ok = len(tokens) > 0 && tokens[0].isText(); ok {
			got.texts, rest = append(got.texts, tokens[0].said()), tokens[1:]
		}
	case 'L':
		var list []string
		list, rest, ok = readList(tokens)
		got.texts = append(got.texts, list...)
	case 'J':
		var value string
		if value, rest, ok = readLiteral(tokens); ok {
			got.texts = append(got.texts, value)
		}
	case 'U', 'G':
		bracketed := hole == 'G' && len(tokens) > 0 && tokens[0] == "("
		if bracketed {
			tokens = tokens[1:]
		}
		var folders []string
		folders, rest, ok = readFolders(tokens)
		if got.texts = append(got.texts, folders...); ok && bracketed {
			if ok = len(rest) > 0 && rest[0] == ")"; ok {
				rest = rest[1:]
			}
		}
	case 'P':
		got.parts, rest, ok = readParts(tokens)
	}
	return rest, ok
}

// write fills the holes. It is false where that leaves something over, or is not enough.
func (f *form) write(with capture) (string, bool) {
	var made strings.Builder
	texts, key, parts := with.texts, with.key, with.parts
	for _, p := range f.pieces {
		switch p.hole {
		case 0:
			made.WriteString(p.text)
		case 'K':
			made.WriteString(field(key))
			key = ""
		case 'M':
			made.WriteString(key)
			if !slices.Contains(membersOfPart, token(key)) {
				return "", false
			}
			key = ""
		case 'O':
			made.WriteString(key)
			if token(key) != ofOperands {
				return "", false
			}
			key = ""
		case 'S', 'J':
			if len(texts) == 0 {
				return "", false
			}
			text := texts[0]
			if p.hole == 'S' {
				text = quote(text)
			}
			made.WriteString(text)
			texts = texts[1:]
		case 'L':
			made.WriteString(quoteAll(texts))
			texts = nil
		case 'U', 'G':
			made.WriteString(folders(texts, p.hole == 'G'))
			texts = nil
		case 'P':
			text, ok := writeParts(parts)
			if !ok {
				return "", false
			}
			made.WriteString(text)
			parts = nil
		}
	}
	return made.String(), len(texts) == 0 && key == "" && len(parts) == 0 && len(f.pieces) > 0 && plain(with.key) &&
		plain(with.texts...)
}

func folders(list []string, bracketed bool) string {
	under := make([]string, len(list))
	for i, folder := range list {
		if under[i] = "under(o, cwd)"; folder != "" {
			under[i] = "under(o, " + quote(folder) + ")"
		}
	}
	if bracketed && len(list) > 1 {
		return "(" + strings.Join(under, " || ") + ")"
	}
	return strings.Join(under, " || ")
}

func readFolders(tokens []token) (folders []string, rest []token, ok bool) {
	begin := []token{"under", "(", "o", ","}
	for rest = tokens; ; rest = rest[1:] {
		if len(rest) < len(begin)+2 || !slices.Equal(rest[:len(begin)], begin) || rest[len(begin)+1] != ")" {
			return nil, nil, false
		}
		switch folder := rest[len(begin)]; {
		case folder == "cwd":
			folders = append(folders, "")
		case folder.isText():
			folders = append(folders, folder.said())
		default:
			return nil, nil, false
		}
		rest = rest[len(begin)+2:]
		if len(rest) == 0 || rest[0] != "||" {
			return folders, rest, true
		}
	}
}

// readMember reads a member of the input.
func readMember(tokens []token) (key string, rest []token, ok bool) {
	switch {
	case len(tokens) >= 3 && tokens[0] == "input" && tokens[1] == "." && tokens[2].isName():
		return string(tokens[2]), tokens[3:], true
	case len(tokens) >= 4 && tokens[0] == "input" && tokens[1] == "[" && tokens[2].isText() && tokens[3] == "]":
		return tokens[2].said(), tokens[4:], true
	}
	return "", nil, false
}

func readList(tokens []token) (list []string, rest []token, ok bool) {
	if len(tokens) < 2 || tokens[0] != "[" {
		return nil, nil, false
	}
	if tokens[1] == "]" {
		return nil, tokens[2:], true
	}
	for rest = tokens[1:]; len(rest) >= 2 && rest[0].isText(); rest = rest[2:] {
		list = append(list, rest[0].said())
		if rest[1] == "]" {
			return list, rest[2:], true
		}
		if rest[1] != "," {
			break
		}
	}
	return nil, nil, false
}

func readLiteral(tokens []token) (value string, rest []token, ok bool) {
	if len(tokens) == 0 {
		return "", nil, false
	}
	if tokens[0] == "true" || tokens[0] == "false" || tokens[0] == "null" {
		return string(tokens[0]), tokens[1:], true
	}
	sign := token("")
	if tokens[0] == "-" && len(tokens) > 1 {
		sign, tokens = "-", tokens[1:]
	}
	value = string(sign + tokens[0])
	if n, err := strconv.ParseInt(value, 10, 64); err != nil || strconv.FormatInt(n, 10) != value {
		return "", nil, false
	}
	return value, tokens[1:], true
}
