package authz

import (
	"encoding/json"
	"fmt"
)

// HelpTool is the tool that says which tools a caller may use, on each server with a table; on one
// that has a tool of this name itself it is called OwnHelp. Everybody may ask for it.
const (
	HelpTool   = "help"
	OwnHelp    = "sekisho_help"
	HelpAbout  = "List the tools that you may use, or show one of them with its parameters and an example."
	HelpSchema = `{"type":"object","properties":{"tool_name":{"type":"string","description":"The name of a tool, to see its parameters and an example. Left out, all tools are listed."}},"required":[]}`
)

// HelpName is what help is called on a server: by whether that has a tool of the name itself.
func HelpName(taken bool) string {
	if taken {
		return OwnHelp
	}
	return HelpTool
}

// HelpEntry is what the list of a server says of help.
func HelpEntry(name string) []byte {
	about, err := json.Marshal(HelpAbout)
	if err != nil {
		panic("a text always marshals: " + err.Error())
	}
	return fmt.Appendf(nil, `{"name":%q,"description":%s,"inputSchema":%s}`, name, about, HelpSchema)
}
