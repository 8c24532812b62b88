package policy_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// TestUnderWhatCannotBeTold: under is false for a path that is not the name of one file, and
// for a relative one that may lie elsewhere.
func TestUnderWhatCannotBeTold(t *testing.T) {
	s := rulestest.Set(t, `[{"id":"in","toolName":"run","effect":"allow","priority":1,"condition":"under(input.path, \"/w\")"}]`)
	for input, want := range map[string]bool{
		`{"path":"a"}`: true, `{"path":"/w/a b"}`: true, `{"path":"sub/../a"}`: true, `{"path":"a~"}`: true, `{"path":"a","cwd":"sub"}`: true,
		`{"path":"{a,../../etc/passwd}"}`: false, `{"path":"/w/{a,../x}"}`: false, `{"path":"*"}`: false, `{"path":"a?"}`: false,
		`{"path":"a[1]"}`: false, `{"path":"~/a"}`: false, `{"path":"$HOME"}`: false, "{\"path\":\"`a`\"}": false, `{"path":"..\\..\\x"}`: false,
		`{"path":"https://x/w"}`: false, `{"path":"file:///w/a"}`: false, `{"path":"host:/w/a"}`: false, `{"path":"C:/w"}`: false,
		`{"path":"a\u0000b"}`: false, `{"path":"a","cwd":"/etc"}`: false, `{"path":"a","workingDir":"/etc"}`: false,
		`{"path":"a","cwd":1}`: false,
	} {
		d := s.Decide(policy.Call{ServerID: new("x"), ToolName: "run", Cwd: new("/w"), Input: json.RawMessage(input)}, rulestest.Now)
		if got := d.Effect == permission.Allow; got != want {
			t.Errorf("%s: %t", input, got)
		}
	}
}

// TestNothingIsAllocatedWithoutALine: a call that has no line, or that no rule looks into, is
// decided without allocations.
func TestNothingIsAllocatedWithoutALine(t *testing.T) {
	s := rulestest.Set(t, rulestest.FiveRules)
	for _, input := range []string{`{"path":"a"}`, `{"command":"git status"}`} {
		for _, tool := range []string{"read_file", "delete_file", "execute_command"} {
			c := policy.Call{ServerID: new("filesystem"), ToolName: tool, Cwd: new("/w"), Input: json.RawMessage(input)}
			s.Decide(c, rulestest.Now) // kept when it is met for the second time
			s.Decide(c, rulestest.Now)
			if n := testing.AllocsPerRun(100, func() { s.Decide(c, rulestest.Now) }); n != 0 {
				t.Errorf("%s %s: %v allocations", tool, input, n)
			}
		}
	}
}

// TestListsOfWords: in a list of words that a server may join for a shell, operators make the
// line opaque, and blanks, braces and quotes mean themselves.
func TestListsOfWords(t *testing.T) {
	for list, want := range map[string]string{
		`["ls","&&","rm","x"]`: "opaque", `["ls",";","rm"]`: "opaque", `["ls","|","sh"]`: "opaque", `["ls","$(id)"]`: "opaque",
		`["ls",">","x"]`: "opaque",
		`["ls","a b"]`:   "ls", `["ls","{a,b}"]`: "ls", `["git","commit","-m","it's (a) *"]`: "git commit",
		`["find",".","-exec","ls","{}",";"]`: "find, ls",
		`["bash","-lc","ls $(git log)"]`:     "ls, git log",
	} {
		if got := kindOf(json.RawMessage(fmt.Sprintf(`{"command":%s}`, list))); got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}
