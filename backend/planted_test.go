package backend_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPlanted plants each fault that the checks are there for, in a house of its own,
// and wants the complaint with its reason. Without it, a check that has gone blind
// would look like a house in order.
func TestPlanted(t *testing.T) {
	const words = "// Package permission holds words.\npackage permission\n"
	imports := func(room string, paths ...string) string {
		return "// Package " + room + " is a room.\npackage " + room + "\nimport (\n_ \"" + strings.Join(paths, "\"\n_ \"") + "\"\n)\n"
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // "" is no complaint
	}{
		"in order": {map[string]string{
			"main.go":                       "// Program main.\npackage main\nimport _ \"github.com/wailsapp/wails/v2\"\n",
			"backend/permission/a.go":       imports("permission", "time", "github.com/google/uuid"),
			"backend/policy/a.go":           imports("policy", "sekisho/backend/permission", "time", "golang.org/x/text/unicode/norm"),
			"backend/policy/a_test.go":      "package policy_test\nimport (\n_ \"os\"\n\"time\"\n)\nvar _ = time.Now\n",
			"backend/database/a.go":         imports("database", "database/sql", "github.com/mattn/go-sqlite3"),
			"backend/sqlite/a.go":           imports("sqlite", "database/sql", "sekisho/backend/database"),
			"backend/sqlite/a_test.go":      "package sqlite_test\nimport _ \"sekisho/backend/storetest\"\n",
			"backend/storetest/a.go":        imports("storetest", "sekisho/backend/desk", "sekisho/backend/server"),
			"backend/desk/a.go":             imports("desk", "sekisho/backend/policy", "sekisho/backend"),
			"frontend/node_modules/x/a.go":  "package internal\n",
			"frontend/src/types.ts":         "",
			"backend/policy/testdata/utils": "",
			"go.mod":                        "module sekisho\n",
			"backend/bench/go.mod":          "module sekisho/backend/bench\n",
			"backend/bench/a.go":            "package main\nimport _ \"github.com/mattn/go-sqlite3\"\n",
			"backend/bench/utils/a.go":      "package utils\n",
		}, ""},

		"looks up": {map[string]string{"backend/policy/a.go": imports("policy", "sekisho/backend/desk")},
			"floor 2 must not look up to floor 4"},
		"looks up from base": {map[string]string{"backend/a.go": imports("backend", "sekisho/backend/permission")},
			"floor 0 must not look up to floor 1"},
		"imports a program": {map[string]string{"backend/server/a.go": imports("server", "sekisho/backend/cmd/sekisho")},
			"floor 8 must not look up to floor 9"},
		"imports the window": {map[string]string{"backend/server/a.go": imports("server", "sekisho")}, "floor 8 must not look up to floor 9"},
		"same floor": {map[string]string{"backend/rest/a.go": imports("rest", "sekisho/backend/gateway")},
			"rooms of one floor (6) do not know each other"},
		"other platform": {map[string]string{"backend/bus/a_windows.go": "//go:build windows\n\n" + imports("bus", "sekisho/backend/broker")},
			"rooms of one floor (2) do not know each other"},
		"contract in the product": {map[string]string{"backend/desk/a.go": imports("desk", "sekisho/backend/storetest")}, "it is for tests only"},
		"new room": {map[string]string{"backend/cache/a.go": imports("cache", "fmt")},
			`"cache" is not in the plan: give it a floor`},
		"no module of its own": {map[string]string{"backend/bench/a.go": imports("bench", "fmt")}, `"bench" is not in the plan: give it a floor`},
		"room in a room": {map[string]string{"backend/rest/wire/a.go": imports("wire", "fmt")},
			`"rest/wire" is not in the plan: give it a floor`},
		"room outside":       {map[string]string{"tools/a.go": imports("tools", "fmt")}, `"/tools" is not in the plan: give it a floor`},
		"new room of tests":  {map[string]string{"backend/e2e/a_test.go": "package e2e\n"}, `"e2e" is not in the plan: give it a floor`},
		"imports a new room": {map[string]string{"backend/desk/a.go": imports("desk", "sekisho/backend/cache")}, "give it a floor"},

		"window below": {map[string]string{"backend/notify/a.go": imports("notify", "github.com/wailsapp/wails/v2/pkg/runtime")},
			"backend does not know the window"},
		"window in a test": {map[string]string{"backend/desk/a.go": imports("desk", "fmt"),
			"backend/desk/a_test.go": "package desk\nimport _ \"github.com/wailsapp/wails/v2\"\n"},
			"backend does not know the window"},
		"notifier decides": {map[string]string{"backend/notify/a.go": imports("notify", "sekisho/backend/desk")},
			"notify hears every process of the session"},
		"driver": {map[string]string{"backend/server/a.go": imports("server", "github.com/mattn/go-sqlite3")},
			"database is the only room that knows the driver"},
		"driver in the store": {map[string]string{"backend/sqlite/a.go": imports("sqlite", "github.com/mattn/go-sqlite3")},
			"database is the only room that knows the driver"},
		"past the store": {map[string]string{"backend/desk/a.go": imports("desk", "sekisho/backend/database")},
			"the database is behind the store"},
		"sql":         {map[string]string{"backend/desk/a.go": imports("desk", "database/sql")}, "are all that speaks SQL"},
		"judge reads": {map[string]string{"backend/authz/a.go": imports("authz", "database/sql/driver")}, "a judge reads no database"},
		"judge asks":  {map[string]string{"backend/policy/a.go": imports("policy", "net/http")}, "a judge asks nobody"},
		"judge dials": {map[string]string{"backend/risk/a.go": imports("risk", "net")}, "a judge asks nobody"},
		"judge looks": {map[string]string{"backend/guard/a.go": imports("guard", "os")}, "a judge does not look at the machine"},
		"judge runs":  {map[string]string{"backend/guard/a.go": imports("guard", "os/exec")}, "a judge does not look at the machine"},
		"judge logs":  {map[string]string{"backend/policy/a.go": imports("policy", "log/slog")}, "a judge does not log"},
		"judge by its word": {map[string]string{"backend/policy/a.go": imports("policy", "sekisho/backend/place"),
			"backend/place/a.go": imports("place", "os")}, "backend/place/a.go imports os: a judge does not look"},

		"clock": {map[string]string{"backend/policy/a.go": "// Package policy judges.\npackage policy\nimport \"time\"\nvar _ = time.Now()\n"},
			"a.go uses time.Now: judges have no clock"},
		"clock renamed": {map[string]string{"backend/risk/a.go": "// Package risk judges.\npackage risk\nimport t \"time\"\nfunc f() { t.Sleep(1) }\n"},
			"a.go uses time.Sleep: judges have no clock"},
		"clock by its word": {map[string]string{"backend/policy/a.go": imports("policy", "sekisho/backend/permission"),
			"backend/permission/a.go": words + "import \"time\"\nvar now = time.Now\n"}, "backend/permission/a.go uses time.Now"},
		"clock as a dot": {map[string]string{"backend/policy/a.go": "// Package policy judges.\npackage policy\nimport . \"time\"\nvar _ = Now()\n"}, "imports time as a dot"},

		"words bring luggage": {map[string]string{"backend/permission/a.go": imports("permission", "golang.org/x/text/cases")},
			"permission is what all rooms share"},
		"words know others": {map[string]string{"backend/permission/a.go": imports("permission", "sekisho/backend")},
			"permission is what all rooms share"},
		"cgo in the program": {map[string]string{"backend/cmd/sekisho/a.go": "// Program main.\npackage main\nimport \"C\"\n"},
			"sekisho is a small static program"},
		"cgo below it": {map[string]string{"backend/cmd/sekisho/a.go": "// Program main.\npackage main\nimport _ \"sekisho/backend/place\"\n",
			"backend/place/a.go": imports("place", "C")}, "sekisho is a small static program"},
		"hiding folder": {map[string]string{"backend/rest/internal/a.txt": ""},
			"backend/rest/internal: a folder of this name hides the floors"},
		"hiding folder beside": {map[string]string{"frontend/src/utils/a.ts": ""}, "frontend/src/utils: a folder of this name hides the floors"},

		"no package comment": {map[string]string{"backend/desk/a.go": "package desk\n", "backend/desk/b.go": "package desk\n"},
			"backend/desk has 0 package comments"},
		"two of them": {map[string]string{"backend/desk/a.go": imports("desk", "fmt"), "backend/desk/b.go": imports("desk", "fmt")},
			"backend/desk has 2 package comments"},
		"one of another name": {map[string]string{"backend/desk/a.go": "// Desk is a room.\npackage desk\n"},
			`does not begin with "Package desk"`},
		"program without": {map[string]string{"backend/cmd/sekisho/a.go": "package main\n"}, "backend/cmd/sekisho has 0 package comments"},
	} {
		t.Run(name, func(t *testing.T) {
			h := plant(t, tt.files)
			got := slices.Concat(checkFloors(h), checkNevers(h), checkFolders(h), checkClock(h), checkPackageDoc(h))
			if tt.want == "" && len(got) > 0 {
				t.Errorf("complaints: %q", got)
			}
			if tt.want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Errorf("%v: complaints %q, want one with %q", slices.Sorted(maps.Keys(tt.files)), got, tt.want)
			}
		})
	}
}
