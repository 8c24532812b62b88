package desk

import (
	"encoding/json"
	"fmt"
	"sync"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of a resumeSchema and of the data held against it. The schema is an agent's,
// who may want the desk to stand still: all that it asks is paid from work, and what
// costs more is refused, never judged halfway.
const (
	maxSchema      = 64 << 10  // bytes of a schema
	maxSchemas     = 1000      // schemas in a schema, itself too
	maxPatterns    = 64        // patterns in a schema
	maxPatternText = 4 << 10   // bytes of all its patterns
	maxPatternSize = 200_000   // instructions and ranges of characters of all its patterns
	maxHeldData    = 256 << 10 // bytes of data held against a schema
	maxDigits      = 128       // bytes of a number
	maxExponent    = 999_999   // of a number, above and below zero
	maxWork        = 1_000_000 // steps of 50 ns or so
)

// oneSchema is held while a schema is read or data judged: many at once would add up.
var oneSchema sync.Mutex

// checkSchema refuses what is no JSON Schema that data can be held against here.
func checkSchema(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	oneSchema.Lock()
	defer oneSchema.Unlock()
	_, err := compileSchema(raw)
	return err
}

// checkResume holds a person's data against the caller's schema. No data is no
// violation: an answer may come without.
func checkResume(raw, given json.RawMessage) error {
	if given == nil {
		return nil
	}
	const field = "resumeData"
	if raw == nil {
		return strictly(field, given)
	}
	if len(given) > maxHeldData {
		return permission.Invalid(field, fmt.Sprintf("longer than %d bytes, which is all that is held against a schema", maxHeldData))
	}
	if err := strictly(field, given); err != nil {
		return err
	}
	oneSchema.Lock()
	defer oneSchema.Unlock()
	s, err := compileSchema(raw)
	if err != nil {
		return err
	}
	data, err := readJSON(given)
	if err != nil {
		return permission.Invalid(field, err.Error())
	}
	if err := satisfies(data, s); err != nil {
		return permission.Invalid(field, "does not satisfy the call's schema: "+err.Error())
	}
	return nil
}

func strictly(field string, raw []byte) error {
	if err := rawjson.Check(raw, rawjson.MaxInputDepth); err != nil {
		return &permission.Error{Code: permission.CodeMalformed, Field: field, Message: err.Error()}
	}
	return nil
}

// compileSchema reads a schema of an agent's. One with references is refused: they
// could reach out of the document, or make a small one explode.
func compileSchema(raw json.RawMessage) (*schema, error) {
	const field = "resumeSchema"
	if len(raw) > maxSchema {
		return nil, permission.Invalid(field, fmt.Sprintf("longer than %d bytes", maxSchema))
	}
	if err := strictly(field, raw); err != nil {
		return nil, err
	}
	v, err := readJSON(raw)
	if err != nil {
		return nil, permission.Invalid(field, err.Error())
	}
	s, err := newReader().schema(v)
	if err != nil {
		return nil, permission.Invalid(field, "not a JSON Schema to hold data against: "+err.Error())
	}
	return s, nil
}
