package environ

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestPassed: what each client was seen to hand on, or its source says.
func TestPassed(t *testing.T) {
	own := []string{"HOME=/home/ada", "PATH=/bin", "LANG=C", "TZ=UTC", "FOO=1", "GITHUB_TOKEN=t", "GH_TOKEN=t", "AWS_PROFILE=work",
		"DATABASE_URL=db", "SSH_AUTH_SOCK=/tmp/s", "OPENAI_API_KEY=k", "VIA=http://ada:pw@proxy", "Path=C:\\"}
	all := "HOME PATH LANG TZ FOO GITHUB_TOKEN GH_TOKEN AWS_PROFILE DATABASE_URL SSH_AUTH_SOCK OPENAI_API_KEY VIA Path"
	for client, want := range map[string]string{
		"claude-code": all, "opencode": all, "cursor": all, "vscode": all, "zed": all,
		"claude-desktop": "HOME PATH Path",
		"codex":          "HOME PATH LANG TZ Path",
		"copilot":        "HOME PATH LANG TZ FOO GH_TOKEN AWS_PROFILE DATABASE_URL SSH_AUTH_SOCK VIA Path",
		"gemini":         "HOME PATH LANG TZ FOO AWS_PROFILE Path",
	} {
		var names []string
		for _, v := range Passed(client, own) {
			name, _, _ := strings.Cut(v, "=")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s hands on\n%s, want\n%s", client, got, want)
		}
	}
	if own[0] != "HOME=/home/ada" || len(own) != 13 {
		t.Error("the environment itself was changed")
	}
}

func TestFind(t *testing.T) {
	passed := []string{"ZZ=1", "PATH=/bin", "KUBECONFIG=/k", "GITHUB_TOKEN=t", "GITHUB_API_URL=u", "AWS_PROFILE=p", "PGHOST=h",
		"https_proxy=x", "MONKEY=no", "SHLVL=1", "_=/bin/env", "PWD=/", "NODE_ENV=x", "PYTHON_GIL=0", "", "=C:=x", "EDITOR=vi", "MY_FLAG=1"}
	path := func(name string) bool { return name == "PATH" }
	got := Find(passed, path, "npx", "-y", "@modelcontextprotocol/server-github", "--flag=${MY_FLAG}")
	want := Missing{Likely: []string{"GITHUB_API_URL", "GITHUB_TOKEN", "MY_FLAG", "AWS_PROFILE", "KUBECONFIG", "PGHOST", "https_proxy"},
		Others: []string{"EDITOR", "MONKEY", "NODE_ENV", "PYTHON_GIL", "ZZ"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := Find(passed, func(string) bool { return true }); got.Likely != nil || got.Others != nil {
		t.Errorf("%+v", got)
	}
	if got := Find([]string{"GITHUB_X=1", "HUBS_X=1"}, func(string) bool { return false }, "githubs", "github2"); got.Likely != nil {
		t.Errorf("a part of a word: %+v", got)
	}
}

func TestSecrets(t *testing.T) {
	got := Secrets([]string{"A_TOKEN=one", "HOME=/home", "PGPASSWORD=two", "DATABASE_URL=three", "EMPTY"})
	if !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Error(got)
	}
}
