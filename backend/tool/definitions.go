package tool

import (
	_ "embed" // definitions.json
	"encoding/json"
	"sync"
)

//go:embed definitions.json
var definitionsText []byte

// Definition is a workspace tool as a server of MCP lists it.
type Definition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	ReadOnly     bool            `json:"readOnly"`
}

// Definitions are those of the workspace tools.
var Definitions = sync.OnceValue(func() (all []Definition) {
	if err := json.Unmarshal(definitionsText, &all); err != nil {
		panic(err) // a test reads it
	}
	return all
})
