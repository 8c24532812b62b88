package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// model is a scripted one on loopback, in the forms of Anthropic's Messages, OpenAI's Responses
// and chat completions, and Google's generateContent: it asks once for a shell line, and then
// says that it is done.
type model struct {
	url    string
	line   string
	asked  atomic.Bool // a client was given the line
	told   atomic.Bool // it came back with what became of it
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

// shellTool is one that clients offer for shell lines, and its input.
func shellTool(name, line string) any {
	switch name {
	case "Bash", "bash", "shell_command", "run_shell_command":
		return map[string]any{"command": line, "description": "Run a line"}
	case "exec_command":
		return map[string]any{"cmd": line}
	case "shell":
		return map[string]any{"command": []string{"bash", "-c", line}}
	}
	return nil
}

// offer is a tool that a client offers, in any of the forms.
type offer struct {
	Name                 string
	Function             struct{ Name string }
	FunctionDeclarations []struct{ Name string }
}

func (o *offer) names() []string {
	all := []string{o.Name, o.Function.Name}
	for _, f := range o.FunctionDeclarations {
		all = append(all, f.Name)
	}
	return all
}

// turn gives the tool to be called next and its input; nil is none.
func (m *model) turn(offers []offer) (name string, input any) {
	for i := range offers {
		for _, name := range offers[i].names() {
			if input := shellTool(name, m.line); input != nil && !m.asked.Swap(true) {
				return name, input
			}
		}
	}
	return "", nil
}

// ServeHTTP answers a request for the next turn.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
	var body struct {
		Model  string
		Stream bool
		Tools  []offer
	}
	if err != nil || len(raw) > 0 && json.Unmarshal(raw, &body) != nil {
		http.Error(w, "not read", http.StatusBadRequest)
		return
	}
	if m.asked.Load() && (bytes.Contains(raw, []byte("call_doctor")) || bytes.Contains(raw, []byte(`"functionResponse"`))) {
		m.told.Store(true)
	}
	next := func() (string, any) { return m.turn(body.Tools) }
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		answer(w, map[string]any{"input_tokens": 10})
	case strings.HasSuffix(path, ":countTokens"):
		answer(w, map[string]any{"totalTokens": 10})
	case strings.HasSuffix(path, "/messages"):
		name, input := next()
		messages(w, body.Model, body.Stream, name, input)
	case strings.HasSuffix(path, "/responses"):
		name, input := next()
		responses(w, body.Model, name, input)
	case strings.HasSuffix(path, "/chat/completions"):
		name, input := next()
		completions(w, body.Model, body.Stream, name, input)
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		name, input := next()
		generated(w, strings.HasSuffix(path, ":streamGenerateContent"), name, input)
	case strings.HasSuffix(path, "/models"):
		answer(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "doctor", "object": "model"}}, "models": []any{}})
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
		if kind, named := e["type"]; named {
			_, _ = fmt.Fprintf(w, "event: %s\n", kind)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
	}
}

func messages(w http.ResponseWriter, model string, stream bool, name string, input any) {
	usage := map[string]any{"input_tokens": 10, "output_tokens": 10}
	block, stop := map[string]any{"type": "text", "text": "Done."}, "end_turn"
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": "Done."}
	if input != nil {
		raw, _ := json.Marshal(input) // of texts
		block, stop = map[string]any{"type": "tool_use", "id": "toolu_call_doctor", "name": name, "input": input}, "tool_use"
		start = map[string]any{"type": "tool_use", "id": "toolu_call_doctor", "name": name, "input": map[string]any{}}
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

func completions(w http.ResponseWriter, model string, stream bool, name string, input any) {
	message, finish := map[string]any{"role": "assistant", "content": "Done."}, "stop"
	if input != nil {
		raw, _ := json.Marshal(input) // of texts
		call := map[string]any{"index": 0, "id": "call_doctor", "type": "function",
			"function": map[string]any{"name": name, "arguments": string(raw)}}
		message, finish = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
	}
	whole := func(object, field string, part any, finish any) map[string]any {
		return map[string]any{"id": "chatcmpl-doctor", "object": object, "created": 1, "model": model,
			"choices": []any{map[string]any{"index": 0, field: part, "finish_reason": finish}},
			"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}}
	}
	if !stream {
		answer(w, whole("chat.completion", "message", message, finish))
		return
	}
	send(w, whole("chat.completion.chunk", "delta", message, nil), whole("chat.completion.chunk", "delta", map[string]any{}, finish))
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func generated(w http.ResponseWriter, stream bool, name string, input any) {
	part := map[string]any{"text": "Done."}
	if input != nil {
		part = map[string]any{"functionCall": map[string]any{"id": "call_doctor", "name": name, "args": input}, "thoughtSignature": "c2lnbmVk"}
	}
	whole := map[string]any{"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}},
		"finishReason": "STOP", "index": 0}}, "modelVersion": "doctor",
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}}
	if stream {
		send(w, whole)
		return
	}
	answer(w, whole)
}
