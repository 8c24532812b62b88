package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// largeCommand lets this program be a server in a process of its own, whose tool has a large result.
const largeCommand = "large"

// largeBytes is how long the text of that result is.
const largeBytes = 20_000_000

// large serves one tool at an address.
func large(address string) error {
	const line = "a line of a log, which says little \"but\" much\n"
	text := strings.Repeat(line, largeBytes/len(line))
	s := mcp.NewServer(&mcp.Implementation{Name: largeCommand, Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "log", Description: "A long text."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	return http.ListenAndServe(address, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
}
