package desk

import (
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/permission"
)

// told says what was being done when something broke; what a client branches on
// goes as it is.
func told(doing string, err error) error {
	var e *permission.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// data marshals what the journal keeps; maps of plain values always marshal.
func data(v map[string]any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("journal data: " + err.Error())
	}
	return raw
}
