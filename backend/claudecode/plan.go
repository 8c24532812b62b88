package claudecode

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"sekisho/backend/permission"
)

// Modes that the client may be in when it has left plan mode.
const (
	modeDefault = "default"
	modeEdits   = "acceptEdits"
	modeBypass  = permission.BypassMode
)

// modesOf are the modes that a person may choose: bypass only where the client was started
// with its own switch for it.
func modesOf(bypass bool) []string {
	if bypass {
		return []string{modeDefault, modeEdits, modeBypass}
	}
	return []string{modeDefault, modeEdits}
}

// schemaOfPlan is a schema for the mode after a plan.
func schemaOfPlan(bypass bool) (json.RawMessage, error) {
	return json.Marshal(map[string]any{
		"type": "object", "required": []string{"mode"}, "additionalProperties": false,
		"properties": map[string]any{"mode": map[string]any{"type": "string", "enum": modesOf(bypass), "default": modeDefault}},
	})
}

// modeOf is the mode that a person chose.
func modeOf(data json.RawMessage, bypass bool) (string, error) {
	var chosen struct{ Mode string }
	if err := json.Unmarshal(data, &chosen); err != nil {
		return "", fmt.Errorf("read the mode: %w", err)
	}
	if !slices.Contains(modesOf(bypass), chosen.Mode) {
		return "", fmt.Errorf("the mode %.40q was not to be chosen", chosen.Mode)
	}
	return chosen.Mode, nil
}

// maxPlan bounds what is read of a plan's file, in bytes.
const maxPlan = 48 << 10

// planOf is the plan as the message has it, or the file that it names.
func planOf(input json.RawMessage) string {
	var said struct {
		Plan string `json:"plan"`
		File string `json:"planFilePath"`
	}
	if json.Unmarshal(input, &said) != nil || said.Plan != "" || said.File == "" {
		return "" // the input is shown
	}
	raw, err := os.ReadFile(said.File)
	if err != nil {
		return "The plan cannot be read: " + err.Error()
	}
	return strings.ToValidUTF8(string(raw[:min(len(raw), maxPlan)]), "?")
}
