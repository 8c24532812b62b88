package advice_test

import (
	"testing"

	"sekisho/backend/advice"
	"sekisho/backend/permission"
	"sekisho/backend/policy"
	"sekisho/backend/rulestest"
)

// TestNoOfferReachesFurtherByOptions: what was answered, what a rule for it may allow, and what
// no rule for it may, be it the first that is offered or the widest.
func TestNoOfferReachesFurtherByOptions(t *testing.T) {
	for _, tt := range []struct {
		answered string
		yes, no  []string
	}{
		{"npx tsc", []string{"npx tsc"}, []string{"npx -p evil tsc", "npx --package=evil tsc", "npx -y tsc"}},
		{"cp a b", []string{"cp c d", "cp src/a src/b", "cp .gitignore b"},
			[]string{"cp -t/home/me/other a", "cp --target-directory=/x a", "cp -r a b", "cp a .git/HEAD", "cp a sub/.GIT/x"}},
		{"cp -r a b", []string{"cp -r c d", "cp c d"}, []string{"cp -r -t/x a", "cp -rt /x a"}},
		{"mv a b", []string{"mv c d"}, []string{"mv --target-directory=/x a", "mv -t /x a", "mv a .git/x"}},
		{"tar -xf a.tar", []string{"tar -xf a.tar"},
			[]string{"tar -xf /tmp/evil.tar", "tar xPf a.tar", "tar -xf a.tar --remove-files"}},
		{"tar -cf a.tar src", []string{"tar -cf a.tar lib"}, []string{"tar --remove-files -cf a.tar src", "tar -cf /x/a.tar src"}},
		{"sed -i s/a/b/ f", []string{"sed -i s/c/d/ f"},
			[]string{"sed -i'*../../../x' s/a/b/ f", "sed -i 's/a/b/w /x/y' f", "sed -i 'w /x/y' f"}},
		{"sort f -o g", []string{"sort h -o g"}, []string{"sort f -o /home/me/x"}},
		{"sort f", []string{"sort g"}, []string{"sort f -o /home/me/x"}},
		{"git config a.b c", []string{"git config a.b c"}, []string{"git config --file=/home/me/.gitconfig a.b c", "git config a.b d"}},
		{"zip a.zip b", []string{"zip a.zip c"}, []string{"zip -rm a.zip b"}},
		{"rm a.txt", []string{"rm b.txt", "cd src && rm b.txt"}, []string{"rm .git/HEAD", "rm ./x/../.git/HEAD", "rm -f b.txt"}},
		{"kill 1", []string{"kill 1"}, []string{"kill -9 -1", "kill 2", "kill -9 1"}},
		{"git add -A", []string{"git add .", "git add -A"}, []string{"git add -f x"}},
		{"docker compose up", nil, []string{"docker compose -f /x/evil.yml up"}},
	} {
		input := func(line string) permission.PastCall {
			return pastCall("sh", "bash", "/w/app", `{"command":"`+line+`"}`)
		}
		own := input(tt.answered)
		list := advice.Choices(policy.Compile(nil, 0), own, nil, rulestest.Now)
		list = append(list, advice.Propose(policy.Compile(nil, 0), []permission.PastCall{own, own, own}, rulestest.Now)...)
		if len(list) == 0 {
			t.Errorf("%s: nothing is offered", tt.answered)
		}
		for _, p := range list {
			set := policy.Compile([]permission.Rule{p.Rule}, 0)
			for _, line := range append(tt.yes, tt.answered) {
				if !allows(set, input(line)) {
					t.Errorf("%s: %s is not allowed by\n%s", tt.answered, line, *p.Rule.Condition)
				}
			}
			for _, line := range tt.no {
				if allows(set, input(line)) {
					t.Errorf("%s: %s is allowed by\n%s", tt.answered, line, *p.Rule.Condition)
				}
			}
		}
	}
}

// TestFilesOfAFolderAreNotThoseOfGit: a rule for files of a folder reaches those that git keeps
// there only where the answered call did.
func TestFilesOfAFolderAreNotThoseOfGit(t *testing.T) {
	edit := func(file string) permission.PastCall {
		c := pastCall("", "Edit", "/w/app", `{"file_path":"`+file+`"}`)
		c.Risk = permission.RiskMedium
		return c
	}
	for _, tt := range []struct {
		answered, later string
		want            bool
	}{
		{"a.go", "src/.gitignore", true}, {"a.go", ".git/HEAD", false}, {"a.go", "/w/app/lib/.Git/config", false}, {".git/HEAD", ".git/x", true},
	} {
		list := advice.Choices(policy.Compile(nil, 0), edit(tt.answered), nil, rulestest.Now)
		if len(list) == 0 {
			t.Fatalf("%s: nothing is offered", tt.answered)
		}
		if got := allows(policy.Compile([]permission.Rule{list[0].Rule}, 0), edit(tt.later)); got != tt.want {
			t.Errorf("%s: %s is allowed: %v by %s", tt.answered, tt.later, got, *list[0].Rule.Condition)
		}
	}
}
