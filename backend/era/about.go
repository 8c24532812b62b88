package era

import (
	"encoding/json"
	"fmt"
	"slices"

	"sekisho/backend"
	"sekisho/backend/mcpwire"
	"sekisho/backend/rawjson"
)

// client is what a client says of itself: with its initialize, or with each request.
type client struct {
	info, capabilities []byte
	level              string // of the log messages that it wants; "" is none
}

// MetaOf is the _meta of a request of 2026-07-28 that the desk makes in the name of the client that
// sent another.
func MetaOf(m mcpwire.Message) []byte {
	who := senderOf(m)
	who.level = ""
	return who.meta()
}

// senderOf is who sends a request, or the desk where that is not as it should be.
func senderOf(m mcpwire.Message) client {
	who, bad := clientOf(m)
	if bad != nil {
		who = client{info: ourselves(), capabilities: []byte("{}")}
	}
	return who
}

// Unfit refuses a request of 2026-07-28 that does not say of its client what it has to.
func Unfit(m mcpwire.Message) *mcpwire.Error {
	_, bad := clientOf(m)
	return bad
}

// Discovered is the answer to server/discover of a server with these capabilities; about is an
// object that says what it is, and instructions a text, or they are nil.
func Discovered(capabilities, about, instructions []byte) []byte {
	said := fmt.Appendf(nil, `{"resultType":"complete","supportedVersions":[%q],"capabilities":%s`, mcpwire.Stateless, capabilities)
	if about != nil {
		said = fmt.Appendf(said, `,"_meta":{%q:%s}`, mcpwire.MetaServer, about)
	}
	if instructions != nil {
		said = fmt.Appendf(said, `,"instructions":%s`, instructions)
	}
	return append(said, `,"ttlMs":0,"cacheScope":"private"}`...)
}

// clientOf reads who sends a request of 2026-07-28.
func clientOf(m mcpwire.Message) (c client, bad *mcpwire.Error) {
	c.info, c.capabilities = mcpwire.MetaOf(m, mcpwire.MetaClient), mcpwire.MetaOf(m, mcpwire.MetaCapabilities)
	if !isObject(c.capabilities) {
		return c, mcpwire.Errorf(mcpwire.CodeParams, "missing or invalid _meta field %q", mcpwire.MetaCapabilities)
	}
	if !isObject(c.info) {
		c.info = ourselves()
	}
	if raw := mcpwire.MetaOf(m, mcpwire.MetaLogLevel); raw != nil {
		level, _ := mcpwire.Text(raw)
		if !slices.Contains(mcpwire.LogLevels[:], level) {
			return c, mcpwire.Errorf(mcpwire.CodeParams, "invalid _meta field %q", mcpwire.MetaLogLevel)
		}
		c.level = level
	}
	return c, nil
}

// meta is the _meta of a request of 2026-07-28 that the client sends.
func (c client) meta(others ...rawjson.Member) []byte {
	meta := fmt.Appendf(nil, `{%q:%q,%q:%s,%q:%s`, mcpwire.MetaVersion, mcpwire.Stateless, mcpwire.MetaClient, c.info,
		mcpwire.MetaCapabilities, c.capabilities)
	if c.level != "" {
		meta = fmt.Appendf(meta, `,%q:%q`, mcpwire.MetaLogLevel, c.level)
	}
	for _, m := range others {
		meta = fmt.Appendf(meta, `,%s:%s`, m.RawKey, m.Value)
	}
	return append(meta, '}')
}

// ourselves is the desk as the client of a server.
func ourselves() []byte {
	return fmt.Appendf(nil, `{"name":"sekisho","version":%s}`, mcpwire.Quote(backend.Version))
}

// can reports whether the client declares that it answers a question of a server.
func (c client) can(method string) bool {
	var declared map[string]json.RawMessage
	name := questions[method]
	return name != "" && json.Unmarshal(c.capabilities, &declared) == nil && isObject(declared[name])
}

// questions are the methods by which a server asks its client for something before it completes
// a request, with the capability of clients that answer.
var questions = map[string]string{
	"elicitation/create":     "elicitation",
	"sampling/createMessage": "sampling",
	"roots/list":             "roots",
}

// mayAsk reports whether a server may ask for something before it completes a request.
func mayAsk(method string) bool {
	return method == mcpwire.CallTool || method == mcpwire.GetPrompt || method == mcpwire.ReadResource
}

// initialized is what a server says of itself in its answer to initialize.
type initialized struct {
	Version      string `json:"protocolVersion"`
	Capabilities json.RawMessage
	ServerInfo   json.RawMessage
	Instructions json.RawMessage
}

// discovered is what a server says of itself in 2026-07-28.
type discovered struct {
	Versions     []string `json:"supportedVersions"`
	Capabilities json.RawMessage
	Instructions json.RawMessage
	Meta         map[string]json.RawMessage `json:"_meta"`
}

// abilities are those of a server that the bridge asks for.
type abilities struct {
	Logging json.RawMessage
	Tools   struct{ ListChanged bool }
	Prompts struct{ ListChanged bool }

	Resources struct{ ListChanged, Subscribe bool }
}

// capabilitiesOf are a server's capabilities without that for tasks, which are others in the
// other era.
func capabilitiesOf(raw []byte) []byte {
	if !isObject(raw) {
		return []byte("{}")
	}
	return without(raw, []string{"tasks"}, "")
}

// notBridged refuses what the other era has no word for.
func notBridged(method, what, why string) *mcpwire.Error {
	return mcpwire.Errorf(mcpwire.CodeNoMethod, "%s cannot be bridged between versions of MCP: %s; %s was not sent to the server", what, why, method)
}
