package permission

import "slices"

// The methods of MCP that are judged beside that of a tool call. What a call's ToolName
// holds is then the URI of a resource or the name of a prompt.
const (
	ReadResource      = "resources/read"
	SubscribeResource = "resources/subscribe"
	GetPrompt         = "prompts/get"
)

// JudgedMethods are all methods that rules decide about (CONTRACT section 5).
var JudgedMethods = [...]string{CallTool, ReadResource, SubscribeResource, GetPrompt}

// MaxURIBytes bounds the URI of a resource that is read or subscribed to.
const MaxURIBytes = 2 << 10

// Judged reports whether rules decide about a method.
func Judged(method string) bool { return slices.Contains(JudgedMethods[:], method) }

// AboutResource reports whether what a method names is the URI of a resource.
func AboutResource(method string) bool { return method == ReadResource || method == SubscribeResource }

// AboutTool reports whether a method, which may be left out, is that of a tool call.
func AboutTool(method string) bool { return method == "" || method == CallTool }

// Reads are the settings for what no rule is about: reading resources, which subscribing
// to them is part of, and getting prompts.
type Reads struct {
	Resources Effect `json:"resources"`
	Prompts   Effect `json:"prompts"`
}

// Of is the setting for a method; what was never set asks.
func (r Reads) Of(method string) Effect {
	effect := r.Prompts
	if AboutResource(method) {
		effect = r.Resources
	}
	if effect == "" {
		return Ask
	}
	return effect
}

// valid says which setting is none.
func (r Reads) valid() error {
	for _, f := range []struct {
		field string
		value Effect
	}{{"reads.resources", r.Resources}, {"reads.prompts", r.Prompts}} {
		switch f.value {
		case Allow, Ask, Deny:
		default:
			return Invalid(f.field, FieldNotOneOf, "allow, ask or deny")
		}
	}
	return nil
}
