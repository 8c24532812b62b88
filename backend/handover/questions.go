package handover

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
)

// AskTool is Claude Code's tool that puts questions to a person.
const AskTool = "AskUserQuestion"

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

// SchemaOfQuestions is a schema for the answers: an object with a member for each question,
// whose value is one of the options or words of a person's own, or several of them.
func SchemaOfQuestions(input json.RawMessage) (json.RawMessage, error) {
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

// Answered is the input of AskUserQuestion with a person's answers: texts by the questions.
func Answered(input, data json.RawMessage) (json.RawMessage, error) {
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
