package builtin

import (
	"context"
	"encoding/json"
	"fmt"

	"sekisho/backend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/tool"
)

// AnswerForClient is the handler of a workspace whose tools a client runs: all but the calls of its tools,
// which the desk gives to the client.
func AnswerForClient(_ context.Context, m mcpwire.Message, _ func([]byte)) ([]byte, error) {
	switch m.Method {
	case mcpwire.Initialize:
		raw, _ := mcpwire.Member(m.Params, "protocolVersion")
		version, _ := mcpwire.Text(raw)
		return fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":{"tools":{}},"serverInfo":{"name":"sekisho-tools","version":%s}}`,
			mcpwire.Quote(mcpwire.SessionVersion(version)), mcpwire.Quote(backend.Version)), nil
	case mcpwire.ListTools:
		type hints struct {
			ReadOnly  bool `json:"readOnlyHint"`
			Destroys  bool `json:"destructiveHint"`
			OpenWorld bool `json:"openWorldHint"`
		}
		type offered struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Input       json.RawMessage `json:"inputSchema"`
			Output      json.RawMessage `json:"outputSchema"`
			Annotations hints           `json:"annotations"`
		}
		all := []offered{}
		for _, d := range tool.Definitions() {
			all = append(all, offered{d.Name, d.Description, d.InputSchema, d.OutputSchema, hints{d.ReadOnly, !d.ReadOnly, false}})
		}
		return json.Marshal(map[string]any{"tools": all})
	case mcpwire.Ping:
		return []byte("{}"), nil
	}
	return nil, mcpwire.Errorf(mcpwire.CodeNoMethod, "this server has no %.80q", m.Method)
}
