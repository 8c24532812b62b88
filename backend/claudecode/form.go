package claudecode

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Tools of the client that ask something of a person.
const (
	askTool  = "AskUserQuestion"
	planTool = permission.PlanTool
)

// questions is the input of AskUserQuestion.
type questions struct {
	Questions []struct {
		Question    string `json:"question"`
		Header      string `json:"header"`
		MultiSelect bool   `json:"multiSelect"`
		Options     []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	} `json:"questions"`
}

// schemaOfQuestions is a schema for the answers: an object with a member for each question,
// whose value is one of the options or words of a person's own, or several of them.
func schemaOfQuestions(input json.RawMessage) (json.RawMessage, error) {
	var q questions
	if err := json.Unmarshal(input, &q); err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	var properties []rawjson.Member // in the order of the questions, which a map has not
	var required []string
	for _, one := range q.Questions {
		if one.Question == "" || slices.Contains(required, one.Question) {
			return nil, errors.New("a question has no text, or the text of another one")
		}
		choices := []any{}
		for _, o := range one.Options {
			choices = append(choices, map[string]any{"const": o.Label, "description": o.Description})
		}
		choices = append(choices, map[string]any{"type": "string", "minLength": 1})
		field := map[string]any{"title": one.Header, "anyOf": choices}
		if one.MultiSelect {
			field = map[string]any{"title": one.Header, "type": "array", "minItems": 1, "items": map[string]any{"anyOf": choices}}
		}
		raw, err := json.Marshal(field)
		if err != nil {
			return nil, fmt.Errorf("write a question: %w", err)
		}
		properties = append(properties, rawjson.Member{RawKey: mcpwire.Quote(one.Question), Value: raw})
		required = append(required, one.Question)
	}
	if len(required) == 0 {
		return nil, errors.New("there is no question")
	}
	return json.Marshal(map[string]any{"type": "object", "properties": json.RawMessage(rawjson.Object(properties)),
		"required": required, "additionalProperties": false})
}

// answered is the input of AskUserQuestion with a person's answers: texts by the questions.
func answered(input, data json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	var given map[string]any
	if err := errors.Join(json.Unmarshal(input, &members), json.Unmarshal(data, &given)); err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	answers := map[string]string{}
	for question, answer := range given {
		switch a := answer.(type) {
		case string:
			answers[question] = a
		case []any:
			var all []string
			for _, one := range a {
				all = append(all, fmt.Sprint(one))
			}
			answers[question] = strings.Join(all, ", ")
		default:
			return nil, fmt.Errorf("the answer to %.80q is no text", question)
		}
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		return nil, fmt.Errorf("write the answers: %w", err)
	}
	members["answers"] = raw
	return json.Marshal(members)
}

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
