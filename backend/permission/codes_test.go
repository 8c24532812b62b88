package permission_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// TestListsAreWhole: a list of a closed set of words has each constant of its type, once.
func TestListsAreWhole(t *testing.T) {
	declared := constants(t)
	for name, list := range map[string][]string{
		"ReasonCode": texts(permission.ReasonCodes[:]), "TraceCode": texts(permission.TraceCodes[:]),
		"Status": texts(permission.Statuses[:]), "Risk": texts(permission.Risks[:]), "Effect": texts(permission.Effects[:]),
		"RiskCode":         texts(permission.RiskCodes),
		"Code":             texts(permission.Codes[:]),
		"By":               texts(permission.Deciders[:]),
		"Scope":            texts(permission.Scopes[:]),
		"EntryKind":        texts(permission.EntryKinds[:]),
		"FieldCode":        texts(permission.FieldCodes[:]),
		"FindingCode":      texts(permission.FindingCodes[:]),
		"FindingKind":      texts(permission.FindingKinds[:]),
		"FileState":        texts(permission.FileStates[:]),
		"LineKind":         texts(permission.LineKinds[:]),
		"Ending":           texts(permission.Endings[:]),
		"PieceKind":        texts(permission.PieceKinds[:]),
		"ServerTransport":  texts(permission.ServerTransports[:]),
		"ConfinementLevel": texts(permission.ConfinementLevels[:]),
		"Execution":        texts(permission.Executions[:]),
		"ServerState":      texts(permission.ServerStates[:]),
		"SessionState":     texts(permission.SessionStates[:]),
		"SignInState":      texts(permission.SignInStates[:]),
		"TextKind":         texts(permission.TextKinds[:]),
		"Role":             texts(permission.Roles[:]),
		"Purpose":          texts(permission.Purposes[:]),
		"ToolPermission":   texts(permission.ToolPermissionWords[:]),
		"ToolChange":       texts(permission.ToolChanges[:]),
	} {
		slices.Sort(list)
		slices.Sort(declared[name])
		if len(list) < 2 || !slices.Equal(list, declared[name]) {
			t.Errorf("%s: the list has %q, declared are %q", name, list, declared[name])
		}
		for _, word := range list {
			if strings.HasSuffix(name, "Code") && !regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`).MatchString(word) {
				t.Errorf("%s: %q is not lower_snake", name, word)
			}
		}
	}
}

func texts[T ~string](list []T) (out []string) {
	for _, word := range list {
		out = append(out, string(word))
	}
	return out
}

// constants reads the texts of this package's constants, by their types.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			of, typed := spec.Type.(*ast.Ident)
			word, literal := spec.Values[0].(*ast.BasicLit)
			if typed && literal && word.Kind == token.STRING {
				text, err := strconv.Unquote(word.Value)
				if err != nil {
					t.Fatal(err)
				}
				found[of.Name] = append(found[of.Name], text)
			}
			return true
		})
	}
	return found
}

// TestParamsAreOneObject: they are written as they were read, and none is an empty object.
func TestParamsAreOneObject(t *testing.T) {
	all := permission.Param("text", "a\"<\xff").With("").With(permission.Param("whole", int64(1)<<60)).With(permission.Param("so", true))
	for params, want := range map[permission.Params]string{"": "{}", all: `{"text":"a\"\u003c\ufffd","whole":1152921504606846976,"so":true}`,
		permission.Params("").With(permission.Param("of", permission.Ask)): `{"of":"ask"}`} {
		raw, err := json.Marshal(permission.Explanation{Params: params})
		if err != nil || string(raw) != `{"code":null,"params":`+want+`,"reason":""}` {
			t.Errorf("%s: %s %v", params, raw, err)
		}
		var back permission.Explanation
		if err := json.Unmarshal(raw, &back); err != nil || back != (permission.Explanation{Params: params}) {
			t.Errorf("%s: read back as %+v, %v", params, back, err)
		}
	}
}
