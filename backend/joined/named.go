package joined

import (
	"bytes"
	"encoding/json"
	"sync"

	"sekisho/backend/mcpwire"
)

// namedURIs are the URIs that a server has named in its results, the newest of them: who
// reads one means that server, whatever else stands before it.
type namedURIs struct {
	mu    sync.Mutex
	of    map[string]bool
	order []string // oldest first
	size  int      // bytes of them
}

func (n *namedURIs) has(uri string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[uri]
}

// add notes a URI. The caller holds the lock.
func (n *namedURIs) add(uri string) {
	if uri == "" || len(uri) > maxURI || n.of[uri] {
		return
	}
	if n.of == nil {
		n.of = map[string]bool{}
	}
	n.of[uri], n.order, n.size = true, append(n.order, uri), n.size+len(uri)
	for len(n.order) > maxPlaced || n.size > maxNamed {
		delete(n.of, n.order[0])
		n.order, n.size = n.order[1:], n.size-len(n.order[0])
	}
}

// block is a part of a result that can name resources.
type block struct {
	URI      string `json:"uri"` // of a link, or of what was read
	Resource struct {
		URI string `json:"uri"`
	} `json:"resource"` // that is embedded
}

// urisIn gives the URIs of the resources that stand in the result of a tool, a prompt or a
// read. What is not as MCP has it is passed over.
func urisIn(result []byte) (uris []string) {
	if !bytes.Contains(result, []byte(`"uri"`)) {
		return nil // most have none, and are not read
	}
	var said struct {
		Content  []block
		Contents []block
		Messages []struct{ Content block }
	}
	json.Unmarshal(result, &said) // as far as it fits
	blocks := append(said.Content, said.Contents...)
	for _, m := range said.Messages {
		blocks = append(blocks, m.Content)
	}
	for _, b := range blocks {
		uris = append(uris, b.URI, b.Resource.URI)
	}
	return uris
}

// hear notes the URIs in a result of the server.
func (n *namedURIs) hear(method string, result []byte) {
	if method != mcpwire.CallTool && method != mcpwire.GetPrompt && method != mcpwire.ReadResource {
		return
	}
	uris := urisIn(result)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, uri := range uris {
		n.add(uri)
	}
}
