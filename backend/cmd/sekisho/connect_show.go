package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sekisho/backend/connect"
	"sekisho/backend/environ"
	"sekisho/backend/terminal"
)

// maxShown is how many bytes of a line of a file are shown.
const maxShown = 400

// showSurvey shows where each entry stands.
func showSurvey(out io.Writer, s *connect.Survey) {
	if len(s.Files) == 0 {
		fmt.Fprintln(out, "No client's configuration was found.")
	}
	for _, f := range s.Files {
		fmt.Fprintf(out, "%s  %s\n", f.File.Client.Name, terminal.Visible(f.File.Path))
		if f.Err != nil {
			fmt.Fprintf(out, "  left alone: %s\n", terminal.Visible(f.Err.Error()))
			continue
		}
		if len(f.Plan.Entries) == 0 {
			fmt.Fprintln(out, "  no tool servers")
		}
		for _, e := range f.Plan.Entries {
			fmt.Fprintf(out, "  %s: %s\n", terminal.Visible(e.Key()), terminal.Visible(standing(e)))
		}
	}
	if s.Away != nil {
		fmt.Fprintf(out, "The desk was not asked (%s), so the servers' names on it may differ.\n", terminal.Visible(s.Away.Error()))
	}
}

// standing says where an entry stands, without secrets.
func standing(e connect.Entry) string {
	switch {
	case e.Hook && e.State == connect.Behind:
		return "the desk is asked about its own tools"
	case e.Hook && e.State == connect.Direct:
		return "the desk is not asked about its own tools; it would be"
	}
	switch e.State {
	case connect.Behind:
		if e.Reason != "" {
			return "behind the desk, as " + e.ServerID + ", but it cannot start: " + e.Reason
		}
		return "behind the desk, as " + e.ServerID
	case connect.Left:
		return "left as it is: " + e.Reason
	}
	what := e.Server.URL
	if e.Server.Transport == connect.Stdio {
		what = e.Server.Command
	}
	where := "as " + e.ServerID
	if !e.Fresh {
		where += ", which the desk has"
	}
	if !e.Server.Enabled {
		where += ", off as it is in the file"
	}
	return "not behind the desk (" + what + "); it would be " + where
}

// differences shows what would be changed, line by line.
func differences(out io.Writer, s *connect.Survey) {
	for _, f := range s.Files {
		if f.Plan != nil && f.Plan.Difference != "" {
			fmt.Fprintln(out)
			showDifference(out, f.Plan.Difference)
		}
	}
	fmt.Fprintln(out)
}

// showDifference prints a difference for a person: what a terminal would hide or obey
// is made visible, tabs and line ends aside.
func showDifference(out io.Writer, difference string) {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(difference, "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		cut := ""
		if len(line) > maxShown {
			line, cut = strings.ToValidUTF8(line[:maxShown], ""), fmt.Sprintf(" … (%d bytes more)", len(line)-maxShown)
		}
		parts := strings.Split(line, "\t")
		for i := range parts {
			parts[i] = terminal.Visible(parts[i])
		}
		b.WriteString(strings.Join(parts, "\t") + cut + "\n")
	}
	_ = terminal.Print(out, b.String()) // its writer remembers that it failed
}

// listed is the JSON of connect --list.
type listed struct {
	Files []listedFile `json:"files"`
}

type listedFile struct {
	Client  string        `json:"client"`
	Path    string        `json:"path"`
	Project bool          `json:"project"`
	Error   *string       `json:"error"`
	Entries []listedEntry `json:"entries"`
}

type listedEntry struct {
	Path     []string      `json:"path"`
	State    connect.State `json:"state"`
	Reason   string        `json:"reason,omitempty"`
	ServerID string        `json:"serverId,omitempty"`
	Hook     bool          `json:"hook,omitempty"`

	Missing environ.Missing `json:"missing,omitzero"`
}

// writeJSON writes where each entry stands. Files that cannot be used are no error here:
// the reader sees them.
func writeJSON(out io.Writer, s *connect.Survey) error {
	all := listed{Files: []listedFile{}}
	for _, f := range s.Files {
		file := listedFile{Client: f.File.Client.ID, Path: f.File.Path, Project: f.File.Project != "", Entries: []listedEntry{}}
		if f.Err != nil {
			reason := f.Err.Error()
			file.Error = &reason
		} else {
			for _, e := range f.Plan.Entries {
				file.Entries = append(file.Entries, listedEntry{e.Path, e.State, e.Reason, e.ServerID, e.Hook, e.Missing})
			}
		}
		all.Files = append(all.Files, file)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}
