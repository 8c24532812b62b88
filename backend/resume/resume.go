// Package resume holds the data that a person's answer brings against the JSON Schema that
// the caller gave for it. It is pure, and every step of it is paid for: a schema is an
// agent's, who may want the desk to stand still.
package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// Bounds of a resumeSchema and of the data held against it. The schema is an agent's,
// who may want the desk to stand still: all that it asks is paid from work, and what
// costs more is refused, never judged halfway.
const (
	maxSchema      = 64 << 10  // bytes of a schema
	maxSchemas     = 1000      // objects and booleans in a schema: all may be schemas
	maxValues      = 5000      // of any kind in a schema
	maxIDs         = 100       // members named $id: each is compared with each schema
	maxChain       = 64        // schemas that follow from one on the same value
	maxOddRefs     = 16        // references to where a draft has no schema: each costs a look at all
	maxPatterns    = 64        // different patterns in a schema
	maxPatternText = 4 << 10   // bytes of all its patterns
	maxPatternSize = 200_000   // instructions and ranges of characters of all its patterns
	maxHeldData    = 256 << 10 // bytes of data held against a schema
	maxDigits      = 128       // bytes of a number
	maxExponent    = 1000      // of a number, above and below zero
	maxWork        = 2_000_000 // steps of 50 ns or so
	maxNotChecked  = 20        // places of a schema that are listed as not checked
	maxPointer     = 120       // bytes of such a place
	maxName        = 40        // bytes of a name or a number that is repeated
	maxNames       = 4         // names on the way to what is wrong
	maxWords       = 300       // bytes of what is wrong
)

// oneSchema is held while a schema is read or data judged: many at once would add up.
var oneSchema sync.Mutex

// CheckRequest is CheckSchema of a new call: data that a yes must have are those of a schema.
func CheckRequest(r *permission.Request) (notChecked []string, err error) {
	if r.ResumeRequired && r.ResumeSchema == nil {
		return nil, permission.Invalid("resumeRequired", permission.FieldRequired, "data that an answer must have are those of a resumeSchema")
	}
	return CheckSchema(r.ResumeSchema)
}

// CheckAnswer is CheckData of an answer to a call, to which a yes may have to have data.
func CheckAnswer(c *permission.Call, a *permission.Answer) error {
	if a.Approved && c.ResumeRequired && len(a.ResumeData) == 0 {
		return permission.Invalid("resumeData", permission.FieldRequired, "a yes to this call has data")
	}
	return CheckData(c.ResumeSchema, a.ResumeData)
}

// CheckSchema refuses what is no JSON Schema that data can be held against here, and says
// what of it no data is held against.
func CheckSchema(raw json.RawMessage) (notChecked []string, err error) {
	if raw == nil {
		return nil, nil
	}
	oneSchema.Lock()
	defer oneSchema.Unlock()
	f, err := compileSchema(raw, extent{})
	if err != nil {
		return nil, err
	}
	return f.notChecked, nil
}

// CheckData holds a person's data against the caller's schema. No data is no
// violation: an answer may come without.
func CheckData(raw, given json.RawMessage) error {
	if given == nil {
		return nil
	}
	const field = "resumeData"
	if raw == nil {
		return strictly(field, given)
	}
	if len(given) > maxHeldData {
		return permission.Invalid(field, permission.FieldTooLong, fmt.Sprintf("longer than %d bytes, which is all that is held against a schema", maxHeldData)).With(permission.Param("most", maxHeldData))
	}
	if err := strictly(field, given); err != nil {
		return err
	}
	oneSchema.Lock()
	defer oneSchema.Unlock()
	data, size, err := readJSON(given)
	if err != nil {
		return permission.Invalid(field, permission.FieldUnreadable, err.Error())
	}
	f, err := compileSchema(raw, size)
	if err != nil {
		return err
	}
	if err := f.hold(data); err != nil {
		return permission.Invalid(field, permission.FieldSchemaUnsatisfied,
			"does not satisfy the call's schema: "+err.Error()).With(permission.Param("error", err.Error()))
	}
	return nil
}

func strictly(field string, raw []byte) error {
	if err := rawjson.Check(raw, rawjson.MaxInputDepth); err != nil {
		return &permission.Error{Code: permission.CodeMalformed, Field: field, Message: err.Error()}
	}
	return nil
}

// compileSchema reads a schema of an agent's, to hold data of some extent against it.
func compileSchema(raw json.RawMessage, data extent) (*form, error) {
	const field = "resumeSchema"
	if len(raw) > maxSchema {
		return nil, permission.Invalid(field, permission.FieldTooLong,
			fmt.Sprintf("longer than %d bytes", maxSchema)).With(permission.Param("most", maxSchema))
	}
	if err := strictly(field, raw); err != nil {
		return nil, err
	}
	doc, size, err := readJSON(raw)
	if err == nil {
		err = size.bearable()
	}
	var f *form
	if err == nil {
		f, err = newForm(doc, workOn(max(data.depth, 1), max(data.number, size.number)))
	}
	if err != nil {
		return nil, permission.Invalid(field, permission.FieldSchemaBad,
			"not a JSON Schema to hold data against: "+err.Error()).With(permission.Param("error", err.Error()))
	}
	return f, nil
}

// hold says what of the schema data violates. What is not checked never makes the
// difference: it is taken as satisfied and, where that fails, as violated.
func (f *form) hold(data any) (err error) {
	defer func() {
		if r := recover(); r == errTooMuchWork {
			err = errTooMuchWork
		} else if r != nil {
			panic(r)
		}
	}()
	f.guess = true
	first := f.root.Validate(data)
	if first != nil && f.guessed {
		if f.guess = false; f.root.Validate(data) == nil {
			return nil
		}
	}
	var violation *jsonschema.ValidationError
	if errors.As(first, &violation) {
		return errors.New(violated(violation))
	}
	return first
}
