package desk

import (
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
