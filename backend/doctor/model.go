package doctor

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// model is a scripted one on loopback, in the forms of Anthropic's Messages and OpenAI's
// Responses: it asks once for a shell line, and then says that it is done.
type model struct {
	url    string
	line   string
	called atomic.Bool
	server *http.Server
}

func openModel(line string) (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the client: %w", err)
	}
	m := &model{url: "http://" + l.Addr().String(), line: line}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = m.server.Serve(l) }() // until close
	return m, nil
}

func (m *model) close() { _ = m.server.Close() }

// asked reports whether a client was given the line.
func (m *model) asked() bool { return m.called.Load() }

// shellTool is one that clients offer for shell lines, and its input.
func shellTool(name, line string) any {
	switch name {
	case "Bash", "bash", "shell_command":
		return map[string]any{"command": line, "description": "Run a line"}
	case "exec_command":
		return map[string]any{"cmd": line}
	case "shell":
		return map[string]any{"command": []string{"bash", "-c", line}}
	}
	return nil
}

// ServeHTTP answers a request for the next turn.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model  string
		Stream bool
		Tools  []struct{ Name, Type string }
	}
	if r.Body == nil || json.NewDecoder(http.MaxBytesReader(w, r.Body, 32<<20)).Decode(&body) != nil && r.Method == http.MethodPost {
		http.Error(w, "not read", http.StatusBadRequest)
		return
	}
	name, input := "", any(nil)
	for _, tool := range body.Tools {
		if input = shellTool(tool.Name, m.line); input != nil {
			name = tool.Name
			break
		}
	}
	if input != nil && m.called.Swap(true) {
		input = nil
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		answer(w, map[string]any{"input_tokens": 10})
	case strings.HasSuffix(r.URL.Path, "/messages"):
		messages(w, body.Model, body.Stream, name, input)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		responses(w, body.Model, name, input)
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // a client that is gone needs none
}

// send writes events of a stream.
func send(w http.ResponseWriter, events ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		raw, err := json.Marshal(e)
		if err != nil {
			panic("texts and numbers always marshal: " + err.Error())
		}
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], raw)
	}
}

func messages(w http.ResponseWriter, model string, stream bool, name string, input any) {
	usage := map[string]any{"input_tokens": 10, "output_tokens": 10}
	block, stop := map[string]any{"type": "text", "text": "Done."}, "end_turn"
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": "Done."}
	if input != nil {
		raw, _ := json.Marshal(input) // of texts
		block, stop = map[string]any{"type": "tool_use", "id": "toolu_doctor", "name": name, "input": input}, "tool_use"
		start = map[string]any{"type": "tool_use", "id": "toolu_doctor", "name": name, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(raw)}
	}
	message := map[string]any{"id": "msg_doctor", "type": "message", "role": "assistant", "model": model, "content": []any{}, "usage": usage,
		"stop_reason": nil, "stop_sequence": nil}
	if !stream {
		message["content"], message["stop_reason"] = []any{block}, stop
		answer(w, message)
		return
	}
	send(w, map[string]any{"type": "message_start", "message": message},
		map[string]any{"type": "content_block_start", "index": 0, "content_block": start},
		map[string]any{"type": "content_block_delta", "index": 0, "delta": delta},
		map[string]any{"type": "content_block_stop", "index": 0},
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage},
		map[string]any{"type": "message_stop"})
}

func responses(w http.ResponseWriter, model, name string, input any) {
	text := map[string]any{"type": "output_text", "text": "Done.", "annotations": []any{}}
	item := map[string]any{"type": "message", "id": "msg_doctor", "role": "assistant", "status": "completed", "content": []any{text}}
	if input != nil {
		raw, _ := json.Marshal(input) // of texts
		item = map[string]any{"type": "function_call", "id": "fc_doctor", "call_id": "call_doctor", "name": name, "arguments": string(raw),
			"status": "completed"}
	}
	whole := func(status string, output ...any) map[string]any {
		return map[string]any{"id": "resp_doctor", "object": "response", "created_at": 1, "model": model, "status": status, "output": output,
			"usage": map[string]any{"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}}
	}
	send(w, map[string]any{"type": "response.created", "response": whole("in_progress")},
		map[string]any{"type": "response.output_item.added", "output_index": 0, "item": item},
		map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item},
		map[string]any{"type": "response.completed", "response": whole("completed", item)})
}
