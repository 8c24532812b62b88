package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"sekisho/backend/connect"
)

// trustWithin bounds the question to Codex.
const trustWithin = 30 * time.Second

// listed is a hook as Codex's app-server lists it.
type listed struct {
	Command     string `json:"command"`
	SourcePath  string `json:"sourcePath"`
	TrustStatus string `json:"trustStatus"`
	Enabled     *bool  `json:"enabled"`
}

// Trust tells whether Codex trusts hooks of a file: "" or Untrusted, with what is said of them.
type Trust func(ctx context.Context, file string, hooks []connect.HookAt) (Code, string, error)

// CodexTrust asks Codex's app-server which hooks it trusts, for Doctor.Trust. It reads only: a
// person trusts hooks, in Codex. Folder is where Codex is asked about.
func CodexTrust(runs func(name string) (string, error), folder string) Trust {
	return func(ctx context.Context, file string, hooks []connect.HookAt) (Code, string, error) {
		program, err := runs("codex")
		if err != nil {
			return "", "", err
		}
		all, err := listHooks(ctx, program, folder)
		if err != nil {
			return "", "", fmt.Errorf("ask Codex for its hooks: %w", err)
		}
		for _, h := range hooks {
			i := slices.IndexFunc(all, func(l listed) bool { return l.Command == h.Command.Line && resolved(l.SourcePath) == resolved(file) })
			switch {
			case i < 0:
				return Untrusted, h.Event + ": Codex does not list it", nil
			case all[i].Enabled == nil || !*all[i].Enabled:
				return Untrusted, h.Event + ": it is switched off in Codex", nil
			case all[i].TrustStatus != "trusted" && all[i].TrustStatus != "managed":
				return Untrusted, h.Event + ": " + all[i].TrustStatus, nil
			}
			all = slices.Delete(all, i, i+1) // two events with one command are two hooks
		}
		return "", "", nil
	}
}

// resolved is a path without symbolic links, where it leads somewhere.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// listHooks asks an app-server of its own, which it ends.
func listHooks(ctx context.Context, program, folder string) ([]listed, error) {
	ctx, cancel := context.WithTimeout(ctx, trustWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "app-server")
	cmd.Dir, cmd.WaitDelay, cmd.Env = folder, time.Second, append(environment(), quiet...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}()
	lines := bufio.NewReader(out)
	send := func(message map[string]any) error { return json.NewEncoder(in).Encode(message) }
	if err := send(map[string]any{"id": 1, "method": "initialize",
		"params": map[string]any{"clientInfo": map[string]any{"name": "sekisho-doctor", "version": "1"}}}); err != nil {
		return nil, err
	}
	if err := answered(lines, 1, nil); err != nil {
		return nil, err
	}
	list := map[string]any{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{folder}}}
	if err := errors.Join(send(map[string]any{"method": "initialized"}), send(list)); err != nil {
		return nil, err
	}
	var got struct {
		Data []struct{ Hooks []listed }
	}
	if err := answered(lines, 2, &got); err != nil {
		return nil, err
	}
	if len(got.Data) != 1 {
		return nil, fmt.Errorf("it speaks of %d folders, not of one", len(got.Data))
	}
	return got.Data[0].Hooks, nil
}

// answered reads up to the answer with an id; what else Codex says passes.
func answered(lines *bufio.Reader, id int, result any) error {
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("it ended without an answer: %w", err)
		}
		var m struct {
			ID            *json.RawMessage
			Method        string
			Result, Error json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || m.Method != "" || string(*m.ID) != fmt.Sprint(id) {
			continue
		}
		switch {
		case m.Error != nil:
			return fmt.Errorf("it answered %s", m.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}
