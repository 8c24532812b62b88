package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sekisho/backend/rawjson"
)

// askingServer writes down every tools/call, and wants input before it completes a call
// whose arguments say so.
const askingServer = `
const fs = require('fs');
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n');
let states = 0;
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } } });
  if (method === 'tools/list') return say({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
  if (method === 'tools/call') {
    fs.appendFileSync(process.env.LOG, line + '\n');
    if (params.arguments?.round && !params.inputResponses) return say({ id, result: { resultType: 'input_required', inputRequests: {}, requestState: 'S' + ++states } });
    return say({ id, result: { content: [] } });
  }
  if (id !== undefined) say({ id, result: {} });
});`

// TestNothingUnseenRuns sends calls whose members were added, renamed, doubled and moved,
// also between the rounds of a call, and holds every message that the server got against
// the rows. SEKISHO_FUZZ_CALLS says how many calls; there are 2,000 without it.
func TestNothingUnseenRuns(t *testing.T) {
	calls := 2000
	if n, err := strconv.Atoi(os.Getenv("SEKISHO_FUZZ_CALLS")); err == nil {
		calls = n
	}
	p := newParty(t)
	log := filepath.Join(t.TempDir(), "log")
	p.op.do(200, "PUT /v1/servers",
		fields{"servers": []any{fields{"id": "f", "transport": "stdio", "command": "node", "args": []any{"-e", askingServer},
			"env": fields{"LOG": log}}}})
	p.op.rules(fields{"id": "all", "autoApprove": true}, fields{"id": "some", "effect": "ask", "priority": 5, "condition": `has(input.ask)`})
	ctx, stop := context.WithCancel(t.Context())
	var answering, sending sync.WaitGroup
	answering.Go(func() { answerAll(ctx, p.op) })
	var sent atomic.Int64
	for worker := range 8 {
		sending.Go(func() {
			f := &fuzzer{Rand: rand.New(rand.NewPCG(uint64(worker), 7)), party: p, worker: worker}
			f.introduce(t.Context())
			for sent.Add(1) <= int64(calls) {
				f.once(t.Context(), &sent)
			}
		})
	}
	sending.Wait()
	stop()
	answering.Wait()
	compareRuns(t, p.op, log, calls)
}

// answerAll is a person who says yes to most of what waits.
func answerAll(ctx context.Context, op visitor) {
	for n := 0; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		for _, c := range op.send("GET /v1/calls?status=pending&brief=true", nil).list("calls") {
			n++
			_ = op.send("POST /v1/calls/"+at(c, "id").(string)+"/decision",
				fields{"approved": n%4 != 0, "inputHash": at(c, "inputHash"), "rev": at(c, "rev")})
		}
	}
}

// pair is a member as it is written.
type pair struct{ key, value string }

// fuzzer is one client of both eras.
type fuzzer struct {
	*rand.Rand
	*party
	worker, n int
	session   string
}

func (f *fuzzer) introduce(ctx context.Context) {
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, f.URL+"/mcp/f",
		strings.NewReader(
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	f.headers(req)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		f.session = resp.Header.Get("Mcp-Session-Id")
		resp.Body.Close()
	}
}

func (f *fuzzer) headers(req *http.Request) {
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": bothKinds,
		"Authorization": "Bearer " + f.a.token} {
		req.Header.Set(name, value)
	}
}

var (
	fuzzKeys = strings.Split(
		`"_meta" "task" "inputResponses" "requestState" "arguments" "name" "Arguments" "NAME" "arg\u0075ments" "inputresponses" "_Meta" "x" "extra" "progressToken" "traceparent" "tracestate" "baggage" "claudecode/toolUseId" "callId" "threadId" "io.modelcontextprotocol/x" "io.modelcontextprotocol/logLevel" "io.modelcontextprotocol/clientInfo" "as" "x-codex-turn-metadata" "id" "method" "params" "progressTok\u0065n"`, " ")
	fuzzVals = strings.Split(
		`1 1.0 9007199254740993 null true {} [] "admin" "S1" {"as":"admin"} {"confirm":{"action":"accept"}} {"ttl":5} "a\u0062c" "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" "a=1" "toolu_01A" "info" {"name":"c","version":"1"} [1,{"b":"\u200b"}] {"name":"x","a":[1.50]}`, " ")
)

// once sends a call, and often the same again with other members beside it.
func (f *fuzzer) once(ctx context.Context, sent *atomic.Int64) {
	f.n++
	asks, rounds := f.IntN(20) == 0, f.IntN(3) == 0
	arguments := fmt.Sprintf(`{"n":%d`, f.n*8+f.worker)
	if asks {
		arguments += `,"ask":1`
	}
	if rounds {
		arguments += `,"round":1`
	}
	modern := f.session == "" || f.IntN(2) == 0
	got := f.send(ctx, modern, asks, arguments+"}", nil)
	for f.IntN(3) == 0 {
		var more []pair
		if state := requestStates.FindString(got); state != "" {
			more = append(more, pair{`"requestState"`, strings.TrimPrefix(state, `"requestState":`)})
		}
		if f.IntN(2) == 0 {
			more = append(more, pair{`"inputResponses"`, `{"q":{"action":"accept"}}`})
		}
		sent.Add(1)
		got = f.send(ctx, modern, asks, arguments+"}", more)
	}
}

var requestStates = regexp.MustCompile(`"requestState":"[^"]*"`)

// send sends a call whose members were changed here and there. A caller of a call that
// waits may leave.
func (f *fuzzer) send(ctx context.Context, modern, asks bool, arguments string, more []pair) string {
	var meta []pair
	if modern {
		meta = []pair{{`"io.modelcontextprotocol/protocolVersion"`, `"2026-07-28"`}, {`"io.modelcontextprotocol/clientCapabilities"`, `{}`}}
	}
	levels := [3][]pair{
		{{`"jsonrpc"`, `"2.0"`}, {`"id"`, fmt.Sprint(f.Uint32())}, {`"method"`, `"tools/call"`}},
		append([]pair{{`"name"`, `"echo"`}, {`"arguments"`, arguments}}, more...),
		meta,
	}
	for range f.IntN(4) {
		f.change(&levels)
	}
	params := levels[1]
	if len(levels[2]) > 0 {
		params = append(params, pair{`"_meta"`, object(levels[2])})
	}
	body := object(append(levels[0], pair{`"params"`, object(params)}))
	if asks && f.IntN(2) == 0 {
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, time.Duration(f.IntN(100))*time.Millisecond)
		defer leave()
	}
	ctx, leave := context.WithTimeout(ctx, time.Minute)
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL+"/mcp/f", strings.NewReader(body))
	if err != nil {
		return ""
	}
	if f.headers(req); modern {
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", "tools/call")
		req.Header.Set("Mcp-Name", "echo")
	} else {
		req.Header.Set("Mcp-Session-Id", f.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return string(raw)
}

// change adds, renames, doubles or moves a member.
func (f *fuzzer) change(levels *[3][]pair) {
	from, to := &levels[f.Pick(1, 6, 6)], &levels[f.Pick(1, 6, 6)]
	i := -1
	if len(*from) > 0 {
		i = f.IntN(len(*from))
	}
	switch kind := f.IntN(5); {
	case kind <= 1 || i < 0:
		*to = slices.Insert(slices.Clone(*to), f.IntN(len(*to)+1), pair{fuzzKeys[f.IntN(len(fuzzKeys))], fuzzVals[f.IntN(len(fuzzVals))]})
	case kind == 2:
		(*from)[i].key = fuzzKeys[f.IntN(len(fuzzKeys))]
	case kind == 3:
		*to = append(slices.Clone(*to), (*from)[i])
	default:
		member := (*from)[i]
		*from = slices.Delete(slices.Clone(*from), i, i+1)
		*to = append(slices.Clone(*to), member)
	}
}

// Pick gives a place by weights.
func (f *fuzzer) Pick(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := f.IntN(sum)
	for i, w := range weights {
		if at < w {
			return i
		}
		at -= w
	}
	return 0
}

func object(members []pair) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = m.key + ":" + m.value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// compareRuns wants an executed row for every message that the server got, with the same
// name, arguments and envelope. CONTRACT's list of what stays outside is written here once
// more.
func compareRuns(t *testing.T, op visitor, log string, calls int) {
	executed := map[string]int{}
	rows, enveloped := 0, 0
	for line := "GET /v1/calls?limit=500"; line != ""; {
		page := op.send(line, nil)
		for _, c := range page.list("calls") {
			if rows++; slices.Contains([]string{"completed", "failed", "claimed", "in_doubt"}, at(c, "status").(string)) {
				if at(c, "envelope") != nil {
					enveloped++
				}
				executed[canonical([]any{at(c, "toolName"), at(c, "input"), at(c, "envelope")})]++
			}
		}
		if line = ""; page.at("next") != nil {
			line = "GET /v1/calls?limit=500&cursor=" + page.text("next")
		}
	}
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	ran, bad := 0, 0
	for line := range bytes.Lines(raw) {
		ran++
		key := runOf(t, op, line)
		if executed[key]--; executed[key] < 0 {
			if bad++; bad <= 10 {
				t.Errorf("the server got what no row has: %s as %s", line, key)
			}
		}
	}
	t.Logf("%d calls sent, %d rows, %d messages reached the server (%d rows with an envelope ran), %d of them in no row", calls, rows, ran,
		enveloped, bad)
	if ran < calls/10 || enveloped < calls/100 {
		t.Errorf("too little ran to say anything")
	}
}

// runOf is what a message says that a row must have.
func runOf(t *testing.T, op visitor, line []byte) string {
	t.Helper()
	if err := rawjson.Check(line, 1000); err != nil {
		t.Errorf("the server got %s: %v", line, err)
	}
	message, ok := op.decode(line).(fields)
	if !ok || len(message) != 4 || message["jsonrpc"] != "2.0" || message["method"] != "tools/call" || message["id"] == nil {
		t.Errorf("the server got %s", line)
	}
	params, _ := message["params"].(fields)
	name, input := params["name"], params["arguments"]
	delete(params, "name")
	delete(params, "arguments")
	if input == nil {
		input = fields{}
	}
	if meta, ok := params["_meta"].(fields); ok {
		for key, value := range meta {
			if outside(key, value) {
				delete(meta, key)
			}
		}
		if len(meta) == 0 {
			delete(params, "_meta")
		}
	}
	var envelope any
	if len(params) > 0 {
		envelope = params
	}
	return canonical([]any{name, input, envelope})
}

var (
	outsideID    = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,128}$`)
	outsideTrace = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
)

// outside reports whether a member of _meta is the caller's own of now.
func outside(key string, value any) bool {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	object, isObject := value.(fields)
	isID := isText && text != "abc" && outsideID.MatchString(text) || // abc is written with an escape, which is no plain form
		isNumber && plainInt.MatchString(number.String())
	switch key {
	case "io.modelcontextprotocol/logLevel":
		return isText && slices.Contains(strings.Fields("debug info notice warning error critical alert emergency"), text)
	case "progressToken", "io.modelcontextprotocol/protocolVersion", "claudecode/toolUseId", "callId", "threadId":
		return isID
	case "io.modelcontextprotocol/clientInfo":
		for name, of := range object {
			if _, isText := of.(string); !isText || !slices.Contains(strings.Fields("name title version description websiteUrl"), name) {
				return false
			}
		}
		return isObject
	case "io.modelcontextprotocol/clientCapabilities":
		return isObject
	case "traceparent":
		return isText && outsideTrace.MatchString(text)
	case "tracestate", "baggage":
		return text == "a=1"
	}
	return false
}
