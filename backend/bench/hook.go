package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// rulesOfHooks is how many rules the desk has that a hook's program asks.
const rulesOfHooks = 1000

// hook measures what a client waits for where its hook asks before each tool: start, proof of
// the desk, event, a rule's answer, exit. Beside it stands a static C program that starts and
// exits.
func hook(ctx context.Context, s settings, dir string) (rows []row, err error) {
	var all yard
	defer func() { err = errors.Join(err, all.close()) }()
	source, least := filepath.Join(dir, "least.c"), filepath.Join(dir, "least")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		return nil, err
	}
	if said, err := exec.CommandContext(ctx, "gcc", "-O2", "-static", "-o", least, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build a static program: %w\n%s", err, said)
	}
	d, err := all.desk(ctx, s.sekishod, filepath.Join(dir, "hooks"), []entry{})
	if err != nil {
		return nil, err
	}
	rules := []any{map[string]any{"effect": "allow", "toolName": "Bash", "condition": `input.command.startsWith("touch ")`}}
	for i := range rulesOfHooks - len(rules) {
		rules = append(rules, map[string]any{"effect": "allow", "toolName": fmt.Sprintf("tool_%d", i),
			"condition": `input.path.startsWith("/work/")`})
	}
	if err := operate(ctx, d.url, d.operator, "PUT", "/v1/rules", map[string]any{"rules": rules}, nil); err != nil {
		return nil, err
	}
	n := 0
	c := &contestant{name: "a static C program starts and exits", turn: starting(s.turn, func() *exec.Cmd {
		return exec.CommandContext(ctx, least)
	}, "")}
	yes := fmt.Sprintf("a hook asks a desk of %d rules and gets its yes", rulesOfHooks)
	ours := &contestant{name: yes, turn: starting(s.turn, func() *exec.Cmd {
		n++
		cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(s.sekishod), "sekisho-hook"), "--client", "claude", "--desk", d.url)
		cmd.Env = append(os.Environ(), "SEKISHO_TOKEN="+d.token)
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"bench","cwd":"/work","hook_event_name":"PreToolUse",`+
			`"tool_name":"Bash","tool_input":{"command":"touch %d"},"tool_use_id":"toolu_%d"}`, n, n))
		return cmd
	}, `"allow"`)}
	if err := compete(s.rounds, c, ours); err != nil {
		return nil, err
	}
	times := ours.median() / c.median()
	return []row{{what: c.name, figure: c.times()},
		{ours.name, ours.times(), fmt.Sprintf("%.2fx", times), "≤ 5x", times <= 5}}, nil
}

// starting makes a turn of a program: the time from its start to its exit, which is to be with
// 0 and with these words.
func starting(turn time.Duration, program func() *exec.Cmd, says string) func() (float64, error) {
	return func() (float64, error) {
		count, began := 0, time.Now()
		for ; time.Since(began) < turn; count++ {
			if said, err := program().CombinedOutput(); err != nil || !strings.Contains(string(said), says) {
				return 0, fmt.Errorf("it ended with %q: %w", said, err)
			}
		}
		return float64(time.Since(began).Nanoseconds()) / float64(count), nil
	}
}
