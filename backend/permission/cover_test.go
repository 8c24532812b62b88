package permission_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sekisho/backend/permission"
)

// line is a kind of a line on shell: parts as "npm install +lodash >file !low@/folder", "?" for
// a folder that cannot be told, "+?" for code that cannot. waits gives a risk to those without.
func line(parts ...string) *permission.Class {
	c := &permission.Class{ServerID: new("shell"), Method: permission.CallTool, ToolName: "run", Parts: []permission.ClassPart{}}
	for _, part := range parts {
		text, folder, _ := strings.Cut(part, "@")
		p := permission.ClassPart{Folder: folder, Lost: folder == "?", Chosen: []string{}, Writes: []string{}}
		for word := range strings.FieldsSeq(text) {
			switch rest := word[1:]; word[0] {
			case '+':
				p.Chosen, p.Unsure = append(p.Chosen, rest), rest == "?"
			case '>':
				p.Writes = append(p.Writes, rest)
			case '!':
				p.Risk = permission.Risk(rest)
			default:
				p.Name = strings.TrimSpace(p.Name + " " + word)
			}
		}
		c.Parts = append(c.Parts, p)
	}
	return c
}

// plain is a kind of a call without a line.
func plain(server, tool, folder string) *permission.Class {
	return &permission.Class{ServerID: new(server), Method: permission.CallTool, ToolName: tool, Folder: folder}
}

// waits is a call of a kind that one rule asks about.
func waits(class *permission.Class, risk permission.Risk) permission.Call {
	c := permission.Call{Caller: permission.Caller{AgentID: "a", SessionID: "s"}, ServerID: new("shell"), Risk: risk,
		Asking: permission.Asking{Class: class, Questions: []string{"r"}}}
	if class != nil {
		c.ServerID = class.ServerID
		for i := range class.Parts {
			class.Parts[i].Risk = cmp.Or(class.Parts[i].Risk, risk)
		}
	}
	if risk == permission.RiskHigh {
		c.OnlyOnce = permission.OnceHigh
	}
	return c
}

// answer is the grant that an answer to a call makes, as far as it reaches.
func answer(id string, c permission.Call, scope permission.Scope, yes bool) []permission.Grant {
	g := permission.Grant{ID: permission.GrantID(id), Scope: c.Reach(scope, yes), Approved: yes}
	if g.Scope == permission.ScopeOnce {
		return nil
	}
	g.Answering(&c)
	return []permission.Grant{g}
}

const (
	low, medium, high = permission.RiskLow, permission.RiskMedium, permission.RiskHigh
	byClass, wide     = permission.ScopeClass, permission.ScopeSession
)

func TestCovering(t *testing.T) {
	status := waits(line("git status@/w"), low)
	yes, no := answer("yes", status, byClass, true), answer("no", waits(line("git push@/w"), high), byClass, false)
	both := append(slices.Clone(yes), answer("log", waits(line("git log@/w"), low), byClass, true)...)
	levels := append(slices.Clone(yes), answer("test", waits(line("npm test@/w"), medium), byClass, true)...)
	install := answer("install", waits(line("npm install +lodash@/w"), medium), byClass, true)
	writes := answer("w", waits(line("git status >/w/f@/w"), low), byClass, true)
	changed := func(change func(*permission.Call)) permission.Call {
		c := waits(line("git status@/w"), low)
		change(&c)
		return c
	}
	for _, tt := range []struct {
		what   string
		grants []permission.Grant
		later  permission.Call
		want   string // the ids of the grants
	}{
		{"the same kind", yes, status, "[yes]"},
		{"a folder below", yes, waits(line("git status@/w/sub"), low), "[yes]"},
		{"a folder above", yes, waits(line("git status@/"), low), "[]"},
		{"a folder beside, of a name that begins alike", yes, waits(line("git status@/ww"), low), "[]"},
		{"no folder", yes, waits(line("git status"), low), "[]"},
		{"a folder that cannot be told", yes, waits(line("git status@?"), low), "[]"},
		{"another verb", yes, waits(line("git push@/w"), low), "[]"},
		{"more risk", yes, waits(line("git status@/w"), medium), "[]"},
		{"a line with another part", yes, waits(line("git status@/w", "rm@/w"), low), "[]"},
		{"a line of both", both, waits(line("git log@/w", "git status@/w/x"), low), "[log yes]"},
		{"a line of one part twice", both, waits(line("git log@/w", "git log@/w/x"), low), "[log]"},
		{"a low and a medium part, answered apart", levels, waits(line("git status !low@/w", "npm test !medium@/w"), medium), "[yes test]"},
		{"parts of more risk than they were answered with", levels, waits(line("git status !medium@/w", "npm test !medium@/w"), medium), "[]"},
		{"what is neutral has more risk than what was answered", yes, waits(line("git status !low@/w"), medium), "[]"},
		{"what is neutral has no more risk than what was answered", levels, waits(line("npm test !low@/w"), medium), "[test]"},
		{"a part of high risk in a line of medium risk", levels, waits(line("npm test !high@/w"), medium), "[]"},
		{"other code", install, waits(line("npm install +evil@/w"), medium), "[]"},
		{"more code", install, waits(line("npm install +lodash +evil@/w"), medium), "[]"},
		{"less code", install, waits(line("npm install@/w"), medium), "[]"},
		{"the same code", install, waits(line("npm install +lodash@/w"), medium), "[install]"},
		{"code that cannot be told", answer("u", waits(line("make +?@/w"), medium), byClass, true), waits(line("make +?@/w"), medium), "[]"},
		{"what writes a file", yes, waits(line("git status >/w/f@/w"), low), "[]"},
		{"what writes the same file", writes, waits(line("git status >/w/f@/w/a"), low), "[w]"},
		{"what writes another file", writes, waits(line("git status >/w/g@/w"), low), "[]"},
		{"what writes another file too", writes, waits(line("git status >/w/f >/w/g@/w"), low), "[]"},
		{"what writes no file", writes, status, "[w]"},
		{"a line with a part that goes astray", both, waits(line("git log@/w", "git status@?"), low), "[]"},
		{"another tool", yes, changed(func(c *permission.Call) { c.Class.ToolName = "other" }), "[]"},
		{"another server", yes, changed(func(c *permission.Call) { c.ServerID, c.Class.ServerID = new("b"), new("b") }), "[]"},
		{"no server", yes, changed(func(c *permission.Call) { c.ServerID, c.Class.ServerID = nil, nil }), "[]"},
		{"another method", yes, changed(func(c *permission.Call) { c.Class.Method = permission.GetPrompt }), "[]"},
		{"another session", yes, changed(func(c *permission.Call) { c.SessionID = "t" }), "[]"},
		{"another agent", yes, changed(func(c *permission.Call) { c.AgentID = "b" }), "[]"},
		{"another question", yes, changed(func(c *permission.Call) { c.Questions = []string{"r", "q"} }), "[]"},
		{"no question that is known", yes, changed(func(c *permission.Call) { c.Questions = nil }), "[]"},
		{"code", yes, changed(func(c *permission.Call) { c.OnlyOnce = permission.OnceCode }), "[]"},
		{"a question of its own", yes, changed(func(c *permission.Call) { c.OnlyOnce = permission.OnceAlone }), "[]"},
		{"no line, by the tool of lines", yes, waits(plain("shell", "run", "/w"), low), "[]"},
		{"a line, by the same tool without one", answer("p", waits(plain("shell", "run", ""), low), byClass, true), status, "[]"},
		{"the same tool", answer("p", waits(plain("fs", "list", "/w"), low), byClass, true), waits(plain("fs", "list", "/w/a"), low), "[p]"},
		{"another tool of the server", answer("p", waits(plain("fs", "list", "/w"), low), byClass, true),
			waits(plain("fs", "look", "/w"), low), "[]"},
		{"all of a server", answer("all", status, wide, true), waits(plain("shell", "look", "/"), low), "[all]"},
		{"all of another server", answer("all", status, wide, true), waits(plain("fs", "look", "/"), low), "[]"},
		{"all of a server, of no kind", answer("all", status, wide, true), waits(nil, low), "[all]"},
		{"all of a server, but risky", answer("all", status, wide, true), waits(nil, medium), "[]"},
		{"a yes to a high call", answer("h", waits(line("git push@/w"), high), wide, true), waits(line("git push@/w"), high), "[]"},

		{"a no to a high call", no, waits(line("git push@/w"), high), "[no]"},
		{"a no to one of its parts", append(both, no...), waits(line("git status@/w", "git push@/w"), low), "[no]"},
		{"a no of lower risk", answer("n", status, byClass, false), waits(line("git status@/w"), high), "[n]"},
		{"a no, later than a yes", append(slices.Clone(yes), answer("n", status, byClass, false)...), status, "[n]"},
		{"a no that is wider", append(slices.Clone(yes), answer("n", waits(nil, low), wide, false)...), status, "[n]"},
		{"a no to another question", answer("n", status, byClass, false),
			changed(func(c *permission.Call) { c.Questions = []string{"q"} }), "[n]"},
		{"a no to what is answered once only", answer("n", status, byClass, false),
			changed(func(c *permission.Call) { c.OnlyOnce = permission.OnceOpaque }), "[n]"},
		{"a no, told to run other code", answer("n", waits(line("npm install +a >/w/f@/w"), medium), byClass, false),
			waits(line("npm install +?@/w"), low), "[n]"},
		{"a no in another folder", answer("n", status, byClass, false), waits(line("git status@/x"), low), "[]"},
	} {
		got := []permission.GrantID{}
		for _, g := range permission.Covering(tt.grants, &tt.later, false, 1) {
			got = append(got, g.ID)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", tt.what, got, tt.want)
		}
	}
	if by := permission.Covering(yes, &status, true, 1); by != nil {
		t.Error("a yes reaches a call on hold")
	}
	if by := permission.Covering(no, new(waits(line("git push@/w"), high)), true, 1); by == nil {
		t.Error("hold takes a no back")
	}
	yes[0].ExpiresAt = 5
	if by := permission.Covering(yes, &status, false, 5); by != nil {
		t.Error("a grant reaches beyond its end")
	}
}

// TestNoYesReachesFurther holds the covering of random pairs of an answered and a later call
// against the sentences of CONTRACT section 6, each by itself.
func TestNoYesReachesFurther(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 15))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	risks := []permission.Risk{low, low, medium, medium, high}
	lists := [][]string{{}, {}, {}, {"a"}, {"b"}, {"a", "b"}}
	does := [][]string{nil, {"reads"}, {"reads"}, {"changes"}, {"reads", "fetches"}}
	random := func() permission.Call {
		server := new(pick("shell", "fs"))
		if r.IntN(8) == 0 {
			server = nil
		}
		class := &permission.Class{ServerID: server, Method: pick(permission.CallTool, permission.CallTool, permission.ReadResource),
			ToolName: pick("run", "look"), Folder: pick("", "/w", "/w/a", "/x")}
		if r.IntN(2) == 0 {
			class.Parts = []permission.ClassPart{}
			for range 1 + r.IntN(3) {
				class.Parts = append(class.Parts, permission.ClassPart{Name: pick("git status", "git log", "ls"), Folder: pick("/w", "/w/a", "/x"),
					Lost: r.IntN(12) == 0, Unsure: r.IntN(12) == 0, Risk: risks[r.IntN(4)],
					Chosen: lists[r.IntN(len(lists))], Writes: lists[r.IntN(len(lists))], Effects: does[r.IntN(len(does))]})
			}
		}
		c := waits(class, risks[r.IntN(len(risks))])
		c.ServerID, c.SessionID = server, permission.SessionID(pick("s", "s", "s", "t"))
		c.Questions = [][]string{{"default"}, {"r"}, {"r", "default"}, {"r"}}[r.IntN(4)]
		if r.IntN(6) == 0 {
			c.OnlyOnce = permission.OnceCode
		}
		return c
	}
	reached := 0
	for range 100_000 {
		answered, later, scope := random(), random(), permission.Scope(pick("class", "session"))
		by := permission.Covering(answer("g", answered, scope, true), &later, false, 1)
		if len(by) == 0 {
			continue
		}
		reached++
		server := func(c *permission.Call) string {
			if c.ServerID == nil {
				return ""
			}
			return "on " + *c.ServerID
		}
		for what, wrong := range map[string]bool{
			"a high call":            later.Risk == high,
			"a riskier call":         later.Risk.Rank() > answered.Risk.Rank() && (scope == wide || later.Class.Parts == nil),
			"another question":       slices.ContainsFunc(later.Questions, func(q string) bool { return !slices.Contains(answered.Questions, q) }),
			"another server":         server(&answered) != server(&later),
			"another session":        answered.SessionID != later.SessionID,
			"a call that is code":    later.OnlyOnce != "" || answered.OnlyOnce != "",
			"another kind, by class": scope == byClass && !sameKind(answered.Class, later.Class),
		} {
			if wrong {
				t.Fatalf("a yes of scope %s reaches %s:\n%+v of\n%+v", scope, what, later, answered)
			}
		}
	}
	if reached < 1000 {
		t.Errorf("only %d pairs were covered", reached)
	}
}

// sameKind is a plain model of what a class has in common.
func sameKind(answered, later *permission.Class) bool {
	below := func(outer, inner string) bool {
		return outer == inner || outer == "/w" && inner == "/w/a"
	}
	if answered.Method != later.Method || answered.ToolName != later.ToolName || (answered.Parts == nil) != (later.Parts == nil) {
		return false
	}
	if later.Parts == nil {
		return below(answered.Folder, later.Folder)
	}
	for _, part := range later.Parts {
		found := false
		for _, p := range answered.Parts {
			writesMore := slices.ContainsFunc(part.Writes, func(f string) bool { return !slices.Contains(p.Writes, f) })
			more := slices.ContainsFunc(part.Effects, func(e string) bool { return e != "reads" && !slices.Contains(p.Effects, e) })
			doesMore := more || (p.Effects == nil) != (part.Effects == nil)
			found = found || !doesMore && !p.Lost && !part.Lost && !p.Unsure && !part.Unsure &&
				p.Name == part.Name && below(p.Folder, part.Folder) && fmt.Sprint(p.Chosen) == fmt.Sprint(part.Chosen) && !writesMore &&
				part.Risk.Rank() <= p.Risk.Rank() && part.Risk != high
		}
		if !found {
			return false
		}
	}
	return true
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		outer, inner string
		want         bool
	}{
		{"/a", "/a/", true}, {"/a", "/a/b", true}, {"/a", "/a/../b", false}, {"/a/", "/a/b", true}, {"/", "/a", true},
		{"/a/b", "/a", false}, {"/a", "/ab", false},
		{"", "", true}, {"", "sub", true}, {"", "..", false}, {"", "/a", false}, {"sub", "sub/x", true},
		{"sub", "", false}, {"..", "../x", false},
		{"..", "..", true},
		{`C:\a`, `C:\a\b`, true}, {`C:\a`, `C:\a\..\b`, false}, {`C:/a`, `C:\a\b`, true}, {"", `C:\a`, false}, {`\\h\a`, `\\h\a\b`, true},
	} {
		if got := permission.Within(tt.outer, tt.inner); got != tt.want {
			t.Errorf("%q within %q: %v", tt.inner, tt.outer, got)
		}
	}
}

func TestWhatACoverageSays(t *testing.T) {
	for _, tt := range []struct {
		call  permission.Call
		scope permission.Scope
		yes   bool
		want  string
	}{
		{waits(line("git status@/w", "git log@/w"), low), byClass, true, "git status, git log in /w by run on shell, as long as it only reads"},
		{waits(line("make"), medium), byClass, true, "make by run on shell, up to medium risk"},
		{waits(line("npm install +lodash", "git log >/w/x !low"), medium), byClass, true,
			"npm install lodash, git log > /w/x (only reading) by run on shell, up to medium risk"},
		{waits(line("npm install +lodash +?"), medium), byClass, false, "npm install by run on shell, of any risk"},
		{waits(line("ls@/a b", "rm\u202e@?"), low), byClass, false, `ls in "/a b" by run on shell, of any risk`},
		{waits(plain("fs", "list", "/w"), low), byClass, true, "list on fs, in /w, as long as it only reads"},
		{waits(plain("fs", "list", "/w"), medium), wide, true, "everything on fs, up to medium risk"},
	} {
		g := answer("g", tt.call, tt.scope, tt.yes)
		if len(g) != 1 || g[0].Covers.Text != tt.want {
			t.Errorf("got %+v, want %s", g, tt.want)
		}
		if spread := tt.call.Spread(); tt.yes && tt.scope == byClass && spread.Class.Text != tt.want {
			t.Errorf("before the answer it is %+v", spread.Class)
		}
	}
	own := waits(nil, low)
	own.ServerID = nil
	if g := answer("g", own, wide, true); g[0].Covers.Code != permission.CoversOwnTools {
		t.Errorf("got %+v", g[0].Covers)
	}
	if s := new(waits(line("rm"), high)).Spread(); s != nil {
		t.Errorf("a high call spreads: %+v", s)
	}
}
