package mcpwire

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Stateless is the era without sessions: each request says in its _meta who sends it and
// which version it speaks, and repeats in headers what an intermediary looks at (MCP
// 2026-07-28, "Streamable HTTP").
const Stateless = "2026-07-28"

const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"
	MetaClient       = "io.modelcontextprotocol/clientInfo"
	MetaLogLevel     = "io.modelcontextprotocol/logLevel"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServer       = "io.modelcontextprotocol/serverInfo"

	SessionHeader = "Mcp-Session-Id"
	VersionHeader = "Mcp-Protocol-Version"
	MethodHeader  = "Mcp-Method"
	NameHeader    = "Mcp-Name"
)

// NameMember says which member of a method's params its Mcp-Name header repeats.
var NameMember = map[string]string{CallTool: "name", GetPrompt: "name", ReadResource: "uri"}

// StatelessHeader are the headers in which a request of the era without sessions repeats its body,
// but for those of a tool's parameters.
func StatelessHeader(m Message) http.Header {
	h := http.Header{VersionHeader: {Stateless}, MethodHeader: {m.Method}}
	raw, _ := Member(m.Params, NameMember[m.Method])
	if name, ok := Text(raw); ok {
		h.Set(NameHeader, HeaderValue(name))
	}
	return h
}

// SessionVersions are those of the era with sessions that are spoken here, newest first.
var SessionVersions = [...]string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// SessionVersion is what a server of that era answers to a client that asks for a version: the
// same, or the newest.
func SessionVersion(asked string) string {
	if slices.Contains(SessionVersions[:], asked) {
		return asked
	}
	return SessionVersions[0]
}

// What marks a header's value that is written in base64, as its text could not stand in
// a header by itself.
const (
	base64Begin = "=?base64?"
	base64End   = "?="
)

// HeaderText is what a header says; false when it is there twice or cannot be read.
func HeaderText(values []string) (string, bool) {
	switch len(values) {
	case 0:
		return "", true
	case 1:
	default:
		return "", false
	}
	value := strings.Trim(values[0], " \t")
	coded, begins := strings.CutPrefix(value, base64Begin)
	coded, ends := strings.CutSuffix(coded, base64End)
	if !begins || !ends {
		return value, true
	}
	plain, err := base64.StdEncoding.Strict().DecodeString(coded)
	return string(plain), err == nil
}

// HeaderValue writes a text so that a header can carry it.
func HeaderValue(s string) string {
	plain := strings.Trim(s, " \t") == s && !strings.HasPrefix(s, base64Begin) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r > '~'
	})
	if plain {
		return s
	}
	return base64Begin + base64.StdEncoding.EncodeToString([]byte(s)) + base64End
}
