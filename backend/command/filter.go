package command

import (
	"regexp"
	"slices"
	"strings"

	"sekisho/backend/shell"
)

// sedCommands is a script of sed that only prints: no command of it writes, reads a file
// or runs anything.
var sedCommands = func() *regexp.Regexp {
	const address = `(\d+|\$|/([^/\\\n]|\\.)*/I?)`
	subst := make([]string, 0, 6)
	for _, d := range []string{"/", `\|`, "#", ",", ":", "@"} {
		body := `([^` + d + `\\\n]|\\.)*`
		subst = append(subst, d+body+d+body+d)
	}
	command := `(` + address + `(,(` + address + `|[+~]?\d+))?)?\s*!?\s*` +
		`([pdDPgGhHnNxlz=]|q\d*|[sy](` + strings.Join(subst, "|") + `)[gpiIm0-9]*)?`
	return regexp.MustCompile(`^\s*` + command + `([\s;{}]+` + command + `)*\s*$`)
}()

// filterText reads the program of sed or awk: one that does more than print is code.
func (p *Part) filterText(known *row) {
	var texts []shell.Word
	for i, w := range p.Words {
		kind, values := known.kindOf(w)
		switch bundle := isBundle(w.Known()) && known.flags["sed"]; {
		case kind == operand:
		case strings.HasPrefix(w.Known(), "--expression="):
			texts = append(texts, shell.Word{Text: strings.TrimPrefix(w.Text, "--expression="), Literal: w.Literal})
		case (bundle && strings.HasSuffix(w.Known(), "e") || w.Known() == "--expression") && values == 1 && i+1 < len(p.Words):
			texts = append(texts, p.Words[i+1])
		case bundle && strings.HasPrefix(w.Known(), "-e"):
			texts = append(texts, shell.Word{Text: w.Text[min(2, len(w.Text)):], Literal: w.Literal})
		}
	}
	if len(texts) == 0 && len(p.Operands) > 0 {
		texts = []shell.Word{{Text: p.Operands[0], Literal: p.Operands[0] != ""}}
	}
	for _, w := range texts {
		prints := w.Literal && len(w.Text) < 4096 && sedCommands.MatchString(w.Text)
		if known.flags["awk"] {
			prints = w.Literal && awkPrints(w.Text)
		}
		if !prints {
			p.Code, p.Source = true, p.Source+w.Text+"\n"
		}
	}
	p.Code = p.Code || len(texts) == 0 || known.flags["awk"] && fedProgram(p.Options)
}

// fedProgram reports whether options of awk name its input for the file that its program is in.
func fedProgram(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		return o == "-" || o == "-f-" || o == "--file=-" || strings.Contains(o, "/dev/") || strings.Contains(o, "/proc/")
	})
}

var (
	awkRuns  = regexp.MustCompile(`@|system|getline|ENVIRON|ARG[VC]|PROCINFO|close|fflush`)
	awkText  = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	awkRegex = regexp.MustCompile(`([(,{;!~&|=\n]|^)(\s*)/(?:[^/\\\n\[]|\\.)*/`)
	awkPipe  = regexp.MustCompile(`\|+`)
)

// awkPrints reports whether a program of awk only compares and prints: it opens no file and
// no program. What stands in its strings and patterns does not count.
func awkPrints(text string) bool {
	if awkRuns.MatchString(text) || len(text) > 4096 {
		return false
	}
	if !strings.ContainsAny(text, "|>") {
		return true
	}
	if strings.Contains(text, "#") {
		return false // a remark may hide where a string begins
	}
	text = awkRegex.ReplaceAllString(awkText.ReplaceAllString(text, "s"), "${1}${2}s")
	for _, pipe := range awkPipe.FindAllString(text, -1) {
		if pipe != "||" {
			return false
		}
	}
	for statement := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("{};\n", r) }) {
		if at := strings.Index(statement, "print"); at >= 0 && strings.Contains(statement[at:], ">") {
			return false
		}
	}
	return true
}

// loading is what reads files or the environment in a program of jq or yq.
var loading = regexp.MustCompile(`\b(import|include|input_filename|modulemeta|(str|xml|props|base64|csv|tsv|json|yaml|toml|uri)?load\w*|strenv|envsubst|eval)\b|` +
	`\$ENV|(^|[^.\w"$])env\b\s*([^:\w]|$)`)

// evaluates are words by which yq is told to do what it does without them.
var evaluates = strings.Fields("eval e eval-all ea")

// loads reads the program of jq or yq: one that reads more than its input is code.
func (p *Part) loads() {
	for i, w := range p.Operands {
		if i == 0 && slices.Contains(evaluates, w) {
			continue
		}
		if loading.MatchString(w) {
			p.Code, p.Source = true, p.Source+w+"\n"
			return
		}
	}
}
