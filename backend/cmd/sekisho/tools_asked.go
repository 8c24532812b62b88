package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"sekisho/backend/guard"
	"sekisho/backend/tool"
)

// checkTools prints how far commands are confined, and then the same with how each listed program
// started: each a line of JSON.
func checkTools(ctx context.Context, w *tool.Workspace, out io.Writer) error {
	confined := w.Confinement()
	found := struct {
		tool.Confinement
		Programs []tool.ProgramState `json:"programs"`
	}{confined, []tool.ProgramState{}}
	e := json.NewEncoder(out)
	if err := e.Encode(found); err != nil {
		return err
	}
	found.Programs = w.Programs(ctx)
	return e.Encode(found)
}

// lookTools prints why a call of a tool is refused, as a line of JSON; {} is that it is not. The input is
// read from in.
func lookTools(w *tool.Workspace, name string, in io.Reader, out io.Writer) error {
	input, err := io.ReadAll(io.LimitReader(in, guard.MaxFile+1))
	if err != nil {
		return fmt.Errorf("read the input of the call: %w", err)
	}
	said := struct {
		Code   guard.Code `json:"code,omitempty"`
		Detail string     `json:"detail,omitempty"`
		Text   string     `json:"text,omitempty"`
	}{}
	if no := w.Look(name, input); no != nil {
		said.Code, said.Detail, said.Text = no.Code, no.Detail, no.Error()
	}
	return json.NewEncoder(out).Encode(said)
}
