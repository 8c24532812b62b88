package backend_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// floors says on which floor each room stands. A room may import rooms of lower floors
// only. Rooms that are planned and not built yet have their place already.
var floors = map[string]int{
	".": 0, "/frontend": 0, "shell": 0, "filter": 0, "beside": 0, "rowcheck": 0, "lazyregexp": 0,
	"permission": 1, "pattern": 1, "rawjson": 1, "command": 1, "place": 1, "spoof": 1, "proof": 1, "process": 1, "quota": 1, "hookcommand": 1,
	"environ":    1,
	"journalkey": 2, "operatorkey": 2,
	"hookline": 2, "proved": 2,
	"mcpwire": 2, "restwire": 2, "policy": 2, "authz": 2, "risk": 2, "guard": 2, "resume": 2, "broker": 2, "bus": 2, "database": 2,
	"agentbook": 2, "callsql": 2, "secret": 2, "diff": 2, "attention": 2, "canary": 2, "conftext": 2, "toolbook": 2, "rewrite": 2, "tally": 2,
	"sessionbook": 2,
	"workspace":   3,
	"tool":        3, "advice": 3, "reach": 3, "upstream": 3, "show": 3, "signin": 3, "opa": 3, "attend": 3, "handover": 3, "history": 3,
	"journal": 3, "insights": 3, "roles": 3, "rolesql": 3, "sessionfile": 3, "coordination": 3, "toolhelp": 3, "workstore": 4,
	"desk": 4, "session": 4, "era": 4, "learn": 4, "sqlite": 4, "trial": 4,
	"keylogin": 3, "apiwords": 4, "restclient": 3, "usage": 0, "terminal": 6,
	"joined": 5, "builtin": 5, "projects": 5, "executors": 3, "executor": 5,
	"gateway": 6, "rest": 6, "hook": 6, "claudecode": 6, "acp": 6, "connect": 6, "notify": 6,
	"doctor": 7, "bothways": 7, "present": 7,
	"server":      8,
	"cmd/sekisho": 9, "cmd/sekisho-hook": 9, "cmd/sekishod": 9, "/": 9, "/conformance": 9,
}

// testRooms may import any room, and only tests may import them.
var testRooms = []string{"storetest", "worktest", "rulestest", "cputime", "economy", "manualtest", "tooltest", "pipetest"}

// never is an import that some rooms must not have, with the reason.
type never struct {
	rooms  func(room string) bool
	except []string // rooms
	tests  bool     // binds tests too
	reach  bool     // binds what the rooms reach inside the module, too
	banned []string // import paths, with all below them
	spared string   // one of these
	reason string
}

// judge reports whether a room is bound to be pure: advice and reach judge nothing, and are as pure.
func judge(room string) bool {
	return slices.Contains([]string{"policy", "authz", "risk", "toolbook", "guard", "workspace", "advice", "reach"}, room)
}

func anyRoom(string) bool { return true }

func inBackend(room string) bool { return !strings.HasPrefix(room, "/") }

var nevers = []never{
	{rooms: inBackend, tests: true, banned: []string{"github.com/wailsapp"},
		reason: "backend does not know the window: its tests need no GTK and no display, and sekishod runs without"},
	{rooms: anyRoom, except: []string{"database"}, tests: true, banned: []string{"github.com/mattn/go-sqlite3"},
		reason: "database is the only room that knows the driver: another way in would pass its one writer by"},
	{rooms: anyRoom, except: append([]string{"database"}, testRooms...), banned: []string{"github.com/pressly/goose"},
		reason: "database alone brings its file up to date, before anything is read of it"},
	{rooms: anyRoom, except: append([]string{"database", "journal", "rolesql", "sqlite", "workstore"}, testRooms...),
		banned: []string{"database/sql"},
		reason: "sqlite and workstore, and journal, rolesql and database below them, are all that speaks SQL: the storage contracts must be enough for all others"},
	{rooms: anyRoom, except: []string{"journal", "rolesql", "sqlite", "workstore", "server"}, banned: []string{"sekisho/backend/database"},
		reason: "the database is behind the store: what wrote past it would leave no entry in the journal; server asks what is wrong with a folder"},
	{rooms: judge, reach: true, banned: []string{"database/sql"},
		reason: "a judge reads no database: rules and input come in, a decision goes out"},
	{rooms: judge, reach: true, banned: []string{"net", "syscall", "golang.org/x/net", "golang.org/x/sys"},
		spared: "net/netip", // reads addresses, and asks nobody
		reason: "a judge asks nobody: the same question has the same answer, with the network down too"},
	{rooms: judge, reach: true, banned: []string{"os", "io/ioutil"},
		reason: "a judge does not look at the machine: what it needs to know comes in with the question"},
	{rooms: judge, reach: true, banned: []string{"log", "testing"},
		reason: "a judge does not log: it explains, in the decision that it gives"},
	{rooms: anyRoom, except: []string{"server"}, banned: []string{"sekisho/backend/secret"},
		reason: "secret is a keeper beside sqlite: only the desk has what is in it, through the interface that it declares, and no door can show or change it past the desk"},
	{rooms: func(room string) bool {
		return room == "notify"
	}, reach: true, banned: []string{"sekisho/backend/desk", "sekisho/backend/broker", "sekisho/backend/sqlite", "sekisho/backend/database"},
		reason: "notify hears every process of the session: it reaches nothing that decides, so that nothing said to it can"},
	{rooms: func(room string) bool { return room == "history" || room == "learn" }, reach: true,
		banned: []string{"net", "syscall", "os/exec", "golang.org/x/net", "golang.org/x/sys"}, spared: "net/netip",
		reason: "what agents wrote on this disk stays on it: the rooms that read it can open no connection and start no program"},
	{rooms: func(room string) bool { return room == "cmd/sekisho" || room == "cmd/sekisho-hook" }, reach: true,
		banned: []string{"C", "runtime/cgo"},
		reason: "sekisho is a small static program, and so is sekisho-hook, which a hook starts for every tool call"},
	{rooms: func(room string) bool { return room == "cmd/sekisho-hook" }, reach: true,
		banned: []string{"net/http", "crypto/tls", "github.com", "golang.org"},
		spared: "golang.org/x/sys/unix", // waits for a client's end, and has nothing to do before main
		reason: "a client starts it for every tool call: what these packages do before main is longer than what it does"},
}

// TestFloors holds the plan against every import.
func TestFloors(t *testing.T) {
	for _, complaint := range checkFloors(thisHouse(t)) {
		t.Error(complaint)
	}
}

// TestNevers holds the imports that must not be.
func TestNevers(t *testing.T) {
	for _, complaint := range checkNevers(thisHouse(t)) {
		t.Error(complaint)
	}
}

func checkFloors(h house) (complaints []string) {
	for _, s := range h.sources {
		floor, known := floors[s.room]
		if !known && !slices.Contains(testRooms, s.room) {
			complaints = append(complaints, fmt.Sprintf("%s: the room %q is not in the plan: give it a floor", s.name, s.room))
			continue
		}
		if s.test || slices.Contains(testRooms, s.room) {
			continue
		}
		for _, imported := range s.imports() {
			if why := forbidden(floor, imported); why != "" {
				complaints = append(complaints, fmt.Sprintf("%s imports %s: %s", s.name, imported, why))
			}
		}
	}
	return complaints
}

// forbidden says why code on a floor must not import a package, or "".
func forbidden(floor int, imported string) string {
	room, ours := roomOfImport(imported)
	target, known := floors[room]
	switch {
	case !ours:
		return ""
	case slices.Contains(testRooms, room):
		return "it is for tests only"
	case !known:
		return "it is not in the plan: give it a floor"
	case target > floor:
		return fmt.Sprintf("floor %d must not look up to floor %d", floor, target)
	case target == floor:
		return fmt.Sprintf("rooms of one floor (%d) do not know each other: what both need belongs below, what ties them above", floor)
	}
	return ""
}

func checkNevers(h house) (complaints []string) {
	for _, n := range nevers {
		bound := map[string]bool{}
		for _, s := range h.sources {
			if !n.rooms(s.room) {
				continue
			}
			bound[s.room] = true
			if n.reach {
				for room := range h.below(s.room) {
					bound[room] = true
				}
			}
		}
		for _, s := range h.sources {
			if !bound[s.room] || slices.Contains(n.except, s.room) || s.test && !n.tests {
				continue
			}
			for _, imported := range s.imports() {
				if imported != n.spared && slices.ContainsFunc(n.banned, func(b string) bool { return within(imported, b) }) {
					complaints = append(complaints, fmt.Sprintf("%s imports %s: %s", s.name, imported, n.reason))
				}
			}
		}
	}
	return append(complaints, checkPermission(h)...)
}

// within reports whether an import path is folder or lies below it.
func within(imported, folder string) bool {
	return imported == folder || strings.HasPrefix(imported, folder+"/")
}

// checkPermission lets the words import the standard library and uuid alone.
func checkPermission(h house) (complaints []string) {
	for _, s := range h.sources {
		if s.room != "permission" || s.test {
			continue
		}
		for _, imported := range s.imports() {
			first, _, _ := strings.Cut(imported, "/")
			if (strings.Contains(first, ".") || first == module) && imported != "github.com/google/uuid" {
				complaints = append(complaints,
					fmt.Sprintf("%s imports %s: permission is what all rooms share, so it brings nothing but the standard library and uuid", s.name,
						imported))
			}
		}
	}
	return complaints
}

// hidingNames are folders that group rooms of several floors and so hide the floors.
var hidingNames = []string{"internal", "pkg", "core", "services", "utils", "types", "models"}

// TestFolders keeps those folders out.
func TestFolders(t *testing.T) {
	for _, complaint := range checkFolders(thisHouse(t)) {
		t.Error(complaint)
	}
}

func checkFolders(h house) (complaints []string) {
	for _, folder := range h.folders {
		if slices.Contains(hidingNames, path.Base(folder)) {
			complaints = append(complaints, fmt.Sprintf("%s: a folder of this name hides the floors of what is in it: name it for what it does",
				folder))
		}
	}
	return complaints
}
