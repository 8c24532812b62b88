package upstream

import (
	"encoding/json"
	"fmt"
)

// RefusedBy reads the error of an answer, if it is one.
func RefusedBy(method string, fault []byte) error {
	if len(fault) == 0 {
		return nil
	}
	var e struct{ Message string }
	if json.Unmarshal(fault, &e) != nil || e.Message == "" {
		e.Message = string(fault)
	}
	return fmt.Errorf("the server refused %s: %s", method, Excerpt(e.Message))
}
