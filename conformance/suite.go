package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// era is one of the two ways in which MCP is spoken.
type era int

const (
	sessions  era = iota // to 2025-11-25: initialize, a session, requests both ways
	stateless            // from 2026-07-28: each request stands alone
)

// suite is one version of the official suite with what the bare server gives.
type suite struct {
	folder         string // in node_modules
	args           []string
	era            era // which of the server's processes is asked when it is bare
	passed, scored int
}

// suites are run in this order. What the everything-server does not pass is the
// extension for tasks, which it does not have.
var suites = [...]suite{
	{"conformance-0.1", []string{"--suite", "all"}, sessions, 44, 44},
	{"conformance-0.2", []string{"--spec-version", "2025-11-25"}, sessions, 73, 73},
	{"conformance-0.2", []string{"--requirements", "2026-07-28"}, stateless, 165, 195},
}

func (s suite) String() string { return s.folder + " " + strings.Join(s.args, " ") }

// patience is how long a suite may take; it takes seconds.
const patience = 10 * time.Minute

// run runs the suite against a URL. Results go into a folder of their own in dir.
func (s suite) run(ctx context.Context, dir, url string) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	results, err := os.MkdirTemp(dir, "results-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for results: %w", err)
	}
	modules := filepath.Join("conformance", "node_modules")
	script := filepath.Join(modules, s.folder, "dist", "index.js")
	args := append([]string{script, "server", "--url", url, "--output-dir", results}, s.args...)
	said, err := gently(exec.CommandContext(ctx, filepath.Join(modules, "node", "bin", "node"), args...)).CombinedOutput()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run %s: %w", s, ctx.Err())
	}
	// Status 1 says that a check failed, which the results tell in detail.
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("run %s: %w\n%s", s, err, said)
	}
	o, err := readOutcome(results)
	if err == nil && len(o) == 0 {
		err = fmt.Errorf("no results\n%s", said)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", s, err)
	}
	return o, nil
}

// check is one statement of the suite about the server.
type check struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	ErrorMessage string `json:"errorMessage"`
}

// Statuses that count; WARNING, INFO and SKIPPED do not.
const (
	success = "SUCCESS"
	failure = "FAILURE"
)

// outcome is all checks of one run, by a name that is the same in every run.
type outcome map[string]check

// resultFolder is how the suite names the results of a scenario.
var resultFolder = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// readOutcome reads the results of all scenarios.
func readOutcome(dir string) (outcome, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		return nil, fmt.Errorf("find results: %w", err)
	}
	o := outcome{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read results: %w", err)
		}
		var checks []check
		if err := json.Unmarshal(raw, &checks); err != nil {
			return nil, fmt.Errorf("read results %s: %w", file, err)
		}
		scenario := filepath.Base(filepath.Dir(file))
		if m := resultFolder.FindStringSubmatch(scenario); m != nil {
			scenario = m[1]
		}
		o.add(scenario, checks)
	}
	return o, nil
}

// add takes the checks of a scenario. Some come several times, and are numbered.
func (o outcome) add(scenario string, checks []check) {
	for _, c := range checks {
		name := fmt.Sprintf("%s: %s (%s)", scenario, c.ID, c.Name)
		key := name
		for n := 2; ; n++ {
			if _, taken := o[key]; !taken {
				break
			}
			key = fmt.Sprintf("%s #%d", name, n)
		}
		o[key] = c
	}
}

func (o outcome) count(status string) (n int) {
	for _, c := range o {
		if c.Status == status {
			n++
		}
	}
	return n
}

func (o outcome) passed() int { return o.count(success) }

// scored is how many checks passed or failed.
func (o outcome) scored() int { return o.count(success) + o.count(failure) }

func (o outcome) String() string { return fmt.Sprintf("%d of %d", o.passed(), o.scored()) }
