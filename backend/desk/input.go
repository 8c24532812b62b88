package desk

import (
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// checkInput refuses input that two readers could read differently, and hashes
// the rest. No input is {}.
func (d *Calls) checkInput(server *string, tool string, input json.RawMessage) (json.RawMessage, string, error) {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	var hash string
	err := d.checkJSON("input", func(l rawjson.Limits) (err error) {
		hash, err = rawjson.HashWithin(l, server, tool, input)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return input, hash, nil
}

// checkJSON lets check hold a text of a caller to the limits of an input, and says of which
// field the refusal is.
func (d *Calls) checkJSON(field string, check func(rawjson.Limits) error) error {
	most := d.policy.InputMembers()
	err := check(rawjson.Limits{Depth: rawjson.MaxInputDepth, Members: most})
	bad := (*rawjson.Error)(nil)
	switch {
	case errors.As(err, &bad) && bad.Reason == rawjson.TooMany:
		return &permission.Error{Code: permission.CodeTooManyMembers, Message: fmt.Sprintf("more than %d members and elements: %s", most, bad),
			Field: field}
	case bad != nil:
		return &permission.Error{Code: permission.CodeMalformed, Message: bad.Error(), Field: field}
	case err != nil:
		return fmt.Errorf("check %s: %w", field, err)
	}
	return nil
}
