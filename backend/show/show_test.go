package show

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// book is a desk of two servers that knows one earlier call.
type book struct {
	last *permission.Call
	fail error
}

func (b book) Servers(context.Context) ([]permission.Server, error) {
	return []permission.Server{
		{ID: "files", Transport: permission.TransportStdio, Cwd: "/nowhere"}, {ID: "web", Transport: "http"},
		{ID: "off", Transport: permission.TransportStdio, Cwd: "/nowhere"},
		{ID: "contained", Transport: permission.TransportStdio, Command: "docker", Args: []string{"run", "files"}},
	}, b.fail
}

func (b book) FlagsOfTool(*string, string) []permission.TextFlag { return nil }

func (b book) LastApproved(context.Context, permission.Call) (permission.Call, bool, error) {
	if b.last == nil {
		return permission.Call{}, false, b.fail
	}
	return *b.last, true, b.fail
}

// call is one of a server, or of none, with the hash that the desk gives it.
func call(t testing.TB, server, input string) permission.Call {
	t.Helper()
	c := permission.Call{ID: "c", ToolName: "run", Input: json.RawMessage(input), Status: permission.Pending}
	if server != "" {
		c.ServerID = &server
	}
	var err error
	if c.InputHash, err = rawjson.Hash(c.ServerID, c.ToolName, c.Input); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLook: what a desk says of its servers and of itself decides where a call runs.
func TestLook(t *testing.T) {
	const file, command = `{"path":"/nowhere/at/all","content":"x"}`, `{"command":"/bin/sh"}`
	earlier := call(t, "files", `{"path":"/b"}`)
	earlier.Decision = &permission.Decision{DecidedAt: 7}
	for _, c := range []struct {
		server string
		opts   Options
		want   string
	}{
		{"", Options{}, "new 1"}, {"files", Options{}, "new 1"}, {"off", Options{}, "new 1"}, {"web", Options{}, "- 0"},
		{"unknown", Options{}, "- 0"}, {"contained", Options{}, "- 0"},
		{"", Options{Remote: true}, "- 0"}, {"files", Options{Remote: true}, "new 1"},
	} {
		got := "-"
		for _, input := range []string{file, command} {
			look, err := New(book{last: &earlier}, c.opts).Look(context.Background(), call(t, c.server, input))
			if err != nil || look.Last == nil || look.Last.DecidedAt != 7 || (look.Command != nil) != (input == command) {
				t.Fatalf("%s: %+v %v", c.server, look, err)
			}
			if look.File != nil {
				got = string(look.File.State) + look.File.Code
			}
			if look.Command != nil {
				got = fmt.Sprint(got, " ", len(look.Command.Programs))
			}
		}
		if got != c.want {
			t.Errorf("%q %+v: %s, want %s", c.server, c.opts, got, c.want)
		}
	}
}

func TestServersThatRunElsewhere(t *testing.T) {
	for line, here := range map[string]bool{
		"docker run -i files": false, "/usr/bin/docker run": false, `C:\bin\Docker.exe run`: false, "podman run x": false, "nerdctl run x": false,
		"ssh host server":               false,
		"kubectl exec -i pod -- server": false, "wsl server": false, "flatpak-spawn --host server": false,
		"npx -y mcp-remote https://example.com/mcp": false, "npx mcp-remote@0.1.2 x": false,
		"env A=b docker run": false, "sudo -n /usr/bin/ssh host": false,
		"npx -y @modelcontextprotocol/server-filesystem /work": true, "uvx mcp-server-docker": true, "node dockerfile.js": true, "sshd": true,
	} {
		words := strings.Fields(line)
		server := permission.Server{ID: "s", Transport: permission.TransportStdio, Command: words[0], Args: words[1:]}
		id := "s"
		if got := homeOf(&permission.Call{ServerID: &id}, []permission.Server{server}, false).here; got != here {
			t.Errorf("%s: here %v", line, got)
		}
	}
	id := "s"
	shell := permission.Server{ID: "s", Transport: permission.TransportStdio, Command: "sh", Args: []string{"-c", "exec docker run -i files"}}
	if homeOf(&permission.Call{ServerID: &id}, []permission.Server{shell}, false).here {
		t.Error("a shell's docker is taken for this machine")
	}
}

func TestLookAtInputsThatAreNothing(t *testing.T) {
	for _, input := range []string{`null`, `[]`, `"ls"`, `7`, `{}`, `{"a":1}`, `not JSON`, ``} {
		c := permission.Call{Input: json.RawMessage(input)}
		if look, err := New(book{}, Options{}).Look(context.Background(), c); err != nil || look.File != nil || look.Command != nil ||
			look.Last != nil || len(look.Flags) > 0 {
			t.Errorf("%s: %+v %v", input, look, err)
		}
	}
	wiped, last := call(t, "", `null`), call(t, "", `{"command":"ls"}`)
	wiped.InputWiped = true
	if look, err := New(book{last: &last}, Options{}).Look(context.Background(), wiped); err != nil || look.File != nil ||
		look.Command != nil || look.Last != nil {
		t.Errorf("without its input: %+v %v", look, err)
	}
	last.InputWiped = true
	if look, err := New(book{last: &last}, Options{}).Look(context.Background(), call(t, "", `{"command":"ls"}`)); err != nil ||
		look.Last != nil || look.Command == nil {
		t.Errorf("the earlier one without its input: %+v %v", look, err)
	}
	broken := errors.New("broken")
	if _, err := New(book{fail: broken}, Options{}).Look(context.Background(), call(t, "", `{}`)); !errors.Is(err, broken) {
		t.Errorf("a fault of the desk: %v", err)
	}
}

// What was settled is looked at as it is now.
func TestLookAtASettledCall(t *testing.T) {
	path := t.TempDir() + "/f"
	save(t, path, "done\n")
	c := call(t, "", writing(path, "done\n"))
	c.Status = permission.Completed
	if look, err := New(book{}, Options{}).Look(context.Background(), c); err != nil || look.File == nil ||
		look.File.State != permission.FileSame {
		t.Errorf("%+v %v", look, err)
	}
}

func TestAgainstAnEarlierCall(t *testing.T) {
	long := strings.Repeat("é", maxBefore+1)
	for _, c := range []struct{ before, now, want string }{
		{`{"a":1}`, `{"a":1}`, "same"},
		{`{"a":1,"b":"x"}`, `{ "b" : "\u0078", "a":1 }`, "same"},
		{`{"a":1}`, `{"a":1.0}`, "~a=1"},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, "~a=9007199254740993"},
		{`{"a":{"x":[1, 2],"y":"\u0041"},"b":1}`, `{"a":{"y":"A","x":[1,2]},"b":2}`, "~b=1"}, // a is spelled otherwise
		{`{"a":{"x":[1,2]}}`, `{"a":{"x":[2,1]}}`, `~a={"x":[1,2]}`},
		{`{"a":"<&>"}`, `{"b":"<&>"}`, `+b -a="<&>"`},
		{`{"\u0061":1}`, `{"a":2}`, "~a=1"},
		{`{"":1}`, `{" ":1}`, "+  -=1"},
		{`{"z":1,"y":2}`, `{"y":1,"z":2}`, "~y=2 ~z=1"},
		{`{}`, `{"a":null}`, "+a"},
		{`{"a":null}`, `{}`, "-a=null"},
		{`{"a":"` + long + `"}`, `{"a":1}`, `~a="` + long[:2*(maxBefore-1)] + "…"},
		{`{"a":"` + long[:2*(maxBefore-2)] + `"}`, `{"a":1}`, `~a="` + long[:2*(maxBefore-2)] + `"`},
		{`[1]`, `{"a":1}`, "none"}, {`{"a":1}`, `[1]`, "none"}, {`[1]`, `[2]`, "none"}, {`"ls"`, `"rm"`, "none"},
		{`[1]`, `[ 1 ]`, "same"},
	} {
		last, now := call(t, "files", c.before), call(t, "files", c.now)
		last.ID = "before"
		last.Decision = &permission.Decision{DecidedAt: 7}
		look, err := New(book{last: &last}, Options{}).Look(context.Background(), now)
		if err != nil {
			t.Fatalf("%s: %v", c.now, err)
		}
		if c.want == "none" {
			if look.Last != nil {
				t.Errorf("%s after %s: %+v", c.now, c.before, look.Last)
			}
			continue
		}
		if look.Last == nil || look.Last.Cwd != nil || look.Last.CallID != "before" || look.Last.DecidedAt != 7 {
			t.Fatalf("%s: %+v", c.now, look.Last)
		}
		if got := changes(look.Last); got != c.want {
			t.Errorf("%.60s after %.60s:\n got %.90s\nwant %.90s", c.now, c.before, got, c.want)
		}
	}
}

// The same command in another folder is another one.
func TestAgainstAnEarlierCallInAnotherFolder(t *testing.T) {
	a, b, none := "/a", "/b", ""
	for _, c := range []struct{ before, now, want *string }{
		{&a, &a, nil}, {nil, nil, nil}, {nil, &none, nil}, {&a, &b, &a}, {&b, nil, &b}, {nil, &a, &none},
	} {
		for _, input := range []string{`{"command":"rm -rf build"}`, `{"command":"ls"}`} {
			last, now := call(t, "", `{"command":"rm -rf build"}`), call(t, "", input)
			last.Cwd, now.Cwd = c.before, c.now
			look, err := New(book{last: &last}, Options{}).Look(context.Background(), now)
			if err != nil || look.Last == nil {
				t.Fatal(look, err)
			}
			if got := look.Last.Cwd; (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("%s: %+v, want %v", input, look.Last, c.want)
			}
		}
	}
}

func changes(l *permission.LastLook) string {
	var out []string
	if l.Same {
		out = append(out, "same")
	}
	tell := func(mark string, list []permission.Earlier) {
		for _, e := range list {
			end := ""
			if e.Cut {
				end = "…"
			}
			out = append(out, mark+e.Key+"="+e.Before+end)
		}
	}
	tell("~", l.Changed)
	for _, key := range l.Added {
		out = append(out, "+"+key)
	}
	tell("-", l.Removed)
	return strings.Join(out, " ")
}

// TestADiskThatHangs: a look answers all the same, only a few hands are lost to it, and
// they come back when the disk does.
func TestADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, answer := New(book{}, Options{}), make(chan struct{})
		var asked atomic.Int64
		g.find = func(string) found {
			asked.Add(1)
			<-answer
			return found{place: place{path: "/f", missing: true}}
		}
		c := call(t, "", writing("/f", "x"))
		look := func() permission.FileState {
			start := time.Now()
			look, err := g.Look(context.Background(), c)
			if err != nil || look.File == nil {
				t.Fatalf("%+v %v", look, err)
			}
			if took := time.Since(start); took > 2*patience {
				t.Errorf("took %v", took)
			}
			if look.File.State == permission.FileUnreadable && look.File.Code != "slow" {
				t.Errorf("%+v", look.File)
			}
			return look.File.State
		}
		for i := range hands + 3 {
			if got := look(); got != permission.FileUnreadable || asked.Load() != int64(min(i+1, hands)) {
				t.Fatalf("look %d: %s, asked %d times", i, got, asked.Load())
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		start := time.Now()
		if look, err := g.Look(ctx, c); err != nil || look.File.State != permission.FileUnreadable || time.Since(start) > 0 {
			t.Errorf("nobody waits for it any more: %+v %v after %v", look.File, err, time.Since(start))
		}
		close(answer)
		synctest.Wait()
		if got := look(); got != permission.FileNew || len(g.free) > 0 {
			t.Errorf("afterwards: %s, %d hands busy", got, len(g.free))
		}
	})
}

func TestWhoeverAskedTheDiskMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, answer := New(book{}, Options{}), make(chan struct{})
		g.find = func(string) found {
			<-answer
			return found{}
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience/2)
		defer cancel()
		start := time.Now()
		if look, err := g.Look(ctx, call(t, "", writing("/f", "x"))); err != nil || look.File.State != permission.FileUnreadable ||
			time.Since(start) != patience/2 {
			t.Errorf("%+v %v after %v", look.File, err, time.Since(start))
		}
		close(answer)
	})
}

// FuzzLook takes any input whatever.
func FuzzLook(f *testing.F) {
	for _, seed := range []string{`{"path":"/nowhere/a","content":"b"}`, `{"file_path":"/nowhere/a","old_string":"","new_string":"b"}`,
		`{"command":"ls","args":["a"]}`, `{"path":"a/../b","edits":[{"oldText":"a","newText":"b"}]}`, `[]`, `{"cmd":"a","cwd":"b"}`} {
		f.Add([]byte(seed), []byte(`{"path":"x"}`))
	}
	f.Fuzz(func(t *testing.T, input, earlier []byte) {
		last := permission.Call{Input: earlier, InputHash: "x"}
		look, err := New(book{last: &last}, Options{}).Look(context.Background(), permission.Call{Input: input, ToolName: "write"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(look); err != nil {
			t.Fatal(err)
		}
		if look.Command != nil {
			checkWhole(t, look.Command)
		}
		if look.File != nil && (look.File.State == "" || look.File.Lines == nil) {
			t.Errorf("%+v", look.File)
		}
	})
}
