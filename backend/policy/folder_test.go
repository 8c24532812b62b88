package policy_test

import "testing"

// TestFolderOptions: an option of a program names the folder also of what it runs, behind its verb or before, and among other letters.
func TestFolderOptions(t *testing.T) {
	for line, want := range map[string]string{
		"uv run pytest": "uv run pytest, pytest", "uv --directory ../x run pytest": "uv run pytest in /x, pytest in /x",
		"uv --directory=/srv/x run pytest":   "uv run pytest in /srv/x, pytest in /srv/x",
		"uv run --directory ../x pytest":     "uv run pytest in /x, pytest in /x",
		"uv --directory ../x run a.py":       "uv run a.py in /x",
		"poetry --directory ../x run pytest": "poetry run pytest in /x, pytest in /x",
		"poetry -C ../x run pytest":          "code",
		"env -iC /etc ls":                    "ls in /etc",
		"env -iC/etc ls":                     "ls in /etc",
		"env -C sub ls":                      "ls in /w/sub",
		"env -C sub make -C a test":          "make test in /w/sub/a",
		"env make -C sub test":               "make test in /w/sub",
		"make -kC ../x test":                 "make test in /x",
		"make -kC../x test":                  "make test in /x",
		"make -fC test":                      "make test",
		"terraform init":                     "terraform init",
		"terraform init -plugin-dir=./evil":  "code",
		"terraform init -from-module=./evil": "code",
		"terraform init -plugin-dir ./evil":  "code",
		"terraform -chdir=x init":            "terraform init in /w/x",
		"pnpm exec -C ../x tsc":              "pnpm exec tsc in /x",
		"git -C x status":                    "git status in /w/x",
	} {
		if got := kindOf(commandInput(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
