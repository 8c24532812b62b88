package mcpwire

import "strings"

// ClaudeTool takes the name of a tool as Claude Code says it apart: mcp__files__read is the tool read of the server files,
// and any other name is a tool of the client's own, of no server. So is one that could be of two servers: mcp__a__b__c is c
// of a__b, or b__c of a, and no rule about either may speak for the other.
func ClaudeTool(name string) (server *string, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	id, bare, both := strings.Cut(rest, "__")
	if !ok || !both || id == "" || bare == "" || strings.LastIndex(rest, "__") != len(id) {
		return nil, name
	}
	return &id, bare
}
