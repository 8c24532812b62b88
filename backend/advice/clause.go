package advice

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
)

// InWords reads a condition as clauses. It is false for a condition that would not be made of
// its clauses in the very same tokens: what is said in words is all that the condition says.
func InWords(condition string) (clauses []permission.Clause, ok bool) {
	tokens, ok := tokensOf(condition)
	if !ok || len(condition) > permission.MaxConditionBytes {
		return nil, false
	}
	rest := tokens
	for {
		c, after, found := readClause(rest)
		if !found {
			return nil, false
		}
		clauses, rest = append(clauses, c), after
		if len(rest) == 0 {
			break
		}
		rest = rest[1:] // &&
	}
	made, ok := write(clauses)
	if !ok {
		return nil, false
	}
	again, ok := tokensOf(made)
	return clauses, ok && reflect.DeepEqual(tokens, again)
}

// ConditionOf makes the condition of clauses. It fails where the condition would not be read
// back as these very clauses.
func ConditionOf(clauses []permission.Clause) (string, error) {
	made, ok := write(clauses)
	if !ok {
		return "", permission.Invalid("clauses", permission.FieldOther, "these are no clauses of a condition")
	}
	if len(made) > permission.MaxConditionBytes {
		return "", permission.Invalid("condition", permission.FieldTooLong, fmt.Sprintf("longer than %d bytes", permission.MaxConditionBytes)).
			With(permission.Param("most", permission.MaxConditionBytes))
	}
	read, ok := InWords(made)
	if !ok || !reflect.DeepEqual(read, complete(clauses)) {
		return "", permission.Invalid("clauses", permission.FieldOther, "the condition of these clauses would say something else")
	}
	if err := policy.CheckRule(&permission.Rule{Condition: &made}); err != nil {
		return "", err // as has(input["a b"])
	}
	return made, nil
}

// WordingOf says a condition in clauses.
func WordingOf(condition string) permission.Wording {
	clauses, ok := InWords(condition)
	if !ok {
		clauses = []permission.Clause{}
	}
	return permission.Wording{Condition: condition, Clauses: clauses, Advanced: !ok}
}

// complete gives the clauses with lists that are empty and not nil, as they are read.
func complete(clauses []permission.Clause) []permission.Clause {
	list := make([]permission.Clause, len(clauses))
	for i, c := range clauses {
		if c.Texts == nil {
			c.Texts = []string{}
		}
		var parts [][]permission.PartClause
		for _, all := range c.Parts {
			of := make([]permission.PartClause, len(all))
			for j, p := range all {
				if p.Texts == nil {
					p.Texts = []string{}
				}
				of[j] = p
			}
			parts = append(parts, of)
		}
		c.Parts = parts
		list[i] = c
	}
	return list
}

// readClause reads the clause that tokens begin with; what is left begins with && or is empty.
func readClause(tokens []token) (c permission.Clause, rest []token, found bool) {
	for _, f := range clauseForms {
		got, rest, ok := f.read(tokens)
		if ok && (len(rest) == 0 || rest[0] == "&&") {
			return permission.Clause{Code: f.code, Key: got.key, Texts: got.texts, Parts: got.parts}, rest, true
		}
	}
	return c, nil, false
}

// write makes a condition of clauses. It is false for what is no clause.
func write(clauses []permission.Clause) (string, bool) {
	made := make([]string, len(clauses))
	for i, c := range clauses {
		f := formNamed(clauseForms, c.Code)
		text, ok := f.write(capture{c.Key, c.Texts, c.Parts})
		if !ok {
			return "", false
		}
		made[i] = text
	}
	return strings.Join(made, " && "), len(made) > 0
}

// readParts reads what is said of the parts of a line: one of some alternatives, each in
// brackets where there are several.
func readParts(tokens []token) (parts [][]permission.PartClause, rest []token, found bool) {
	rest = tokens
	for {
		bracketed := len(rest) > 0 && rest[0] == "("
		if bracketed {
			rest = rest[1:]
		}
		all, after, ok := readPart(rest)
		if !ok {
			return nil, nil, false
		}
		if parts, rest = append(parts, all), after; bracketed {
			if len(rest) == 0 || rest[0] != ")" {
				return nil, nil, false
			}
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != "||" {
			return parts, rest, true
		}
		rest = rest[1:]
	}
}

// readPart reads one alternative.
func readPart(tokens []token) (all []permission.PartClause, rest []token, found bool) {
	for rest = tokens; ; rest = rest[1:] {
		at := len(all)
		for _, f := range partForms {
			got, after, ok := f.read(rest)
			if ok && len(after) > 0 && (after[0] == "&&" || after[0] == ")" || after[0] == "||") {
				all, rest = append(all, permission.PartClause{Code: f.code, Key: got.key, Texts: got.texts}), after
				break
			}
		}
		if len(all) == at {
			return nil, nil, false
		}
		if rest[0] != "&&" {
			return all, rest, true
		}
	}
}

func writeParts(parts [][]permission.PartClause) (string, bool) {
	var alternatives []string
	for _, all := range parts {
		var made []string
		for _, p := range all {
			f := formNamed(partForms, p.Code)
			text, ok := f.write(capture{p.Key, p.Texts, nil})
			if !ok {
				return "", false
			}
			made = append(made, text)
		}
		if len(made) == 0 {
			return "", false
		}
		alternatives = append(alternatives, strings.Join(made, " && "))
	}
	if len(alternatives) > 1 {
		return "(" + strings.Join(alternatives, ") || (") + ")", true
	}
	return strings.Join(alternatives, ""), len(alternatives) == 1
}

// plain reports whether texts are UTF-8: in a condition others would become other texts.
func plain(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !utf8.ValidString(text) })
}
