package rest

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sekisho/backend/permission"
)

// abuse is a row of testdata/protocol.json: a bad request written against paths of
// another service.
type abuse struct {
	ID      string
	Channel string
	Reason  string
	Request struct {
		Line    string
		Headers map[string]string
		Body    json.RawMessage
	}
}

// body is the row's own body where it is text or bytes.
func (a *abuse) body(t *testing.T) string {
	t.Helper()
	var text string
	if json.Unmarshal(a.Request.Body, &text) == nil {
		return text
	}
	var raw struct {
		Bytes string `json:"$bytes"`
	}
	if err := json.Unmarshal(a.Request.Body, &raw); err != nil || raw.Bytes == "" {
		t.Fatalf("%s has no body as text: %s", a.ID, a.Request.Body)
	}
	out, err := hex.DecodeString(raw.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// adapted is how a row is sent to the paths of this door, and what comes.
type adapted struct {
	row     string            // method and path
	token   string            // "" is the row's own Authorization, or none
	body    string            // "$own" is the row's own
	headers map[string]string // beside the row's own
	status  int
	code    permission.Code
	says    string // part of the answer
}

// asks are the rows about one request, by id.
var asks = map[string]adapted{
	"PRO-001": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-003": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-005": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-007": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-011": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-014": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-015": {row: "POST /v1/calls", body: goodAsk, status: 401, code: codeUnauthorized},
	"PRO-033": {row: "POST /v1/calls", body: `{"agentId":"agent-a","runId":"r","toolCallId":"t","toolName":"x"}`, status: 422,
		code: permission.CodeInvalid},
	"PRO-036": {row: "POST /v1/calls", body: goodAsk, status: 403, code: permission.CodeForbidden},
	"PRO-041": {row: "POST /v1/calls", body: goodAsk, status: 403, code: permission.CodeForbidden},
	"PRO-043": {row: "POST /v1/calls", body: goodAsk, status: 403, code: permission.CodeForbidden},
	"PRO-045": {row: "POST /v1/calls", body: goodAsk, status: 403, code: permission.CodeForbidden},
	"PRO-046": {row: "POST /v1/calls", body: goodAsk, status: 403, code: permission.CodeForbidden},
	"PRO-048": {row: "GET /healthz", status: 200, says: `"ok":true`}, // the good one among these; it asks the desk for nothing
	"PRO-052": {row: "OPTIONS /v1/calls", status: 403, code: permission.CodeForbidden},
	"PRO-054": {row: "GET /v1/evaluate", token: "TA", status: 405, code: codeMethod},
	"PRO-056": {row: "GET /ws", token: "TA", headers: map[string]string{"Connection": "Upgrade", "Upgrade": "websocket"}, status: 403,
		code: permission.CodeForbidden},
	"PRO-059": {row: "POST /v1/calls", body: "$own", status: 400, code: permission.CodeMalformed},
	"PRO-062": {row: "POST /v1/calls", body: "$own", status: 422, code: permission.CodeInvalid},
	"PRO-066": {row: "POST /v1/calls", body: `{"runId":"r","toolCallId":"t","ToolName":"x"}`, status: 422, code: permission.CodeInvalid,
		says: `"field":"ToolName"`},
	"PRO-068": {row: "POST /v1/calls", body: `{"runId":"r","toolCallId":"t","toolName":1}`, status: 422, code: permission.CodeInvalid,
		says: `"field":"toolName"`},
	"PRO-078": {row: "POST /v1/calls", body: "$own", status: 400, code: permission.CodeMalformed},
	"PRO-080": {row: "POST /v1/calls", body: "$own", status: 400, code: permission.CodeMalformed},
	"PRO-086": {row: "POST /v1/calls", token: "TA", body: "\x1f\x8b\x08", status: 415, code: codeMediaType},
	"PRO-087": {row: "POST /v1/calls", token: "TA", body: strings.Repeat("[", 100_000), status: 400, code: permission.CodeMalformed},
	"PRO-125": {row: "POST /v1/calls", token: "TA", body: `{"runId":"r","toolName":"x"}`, status: 422, code: permission.CodeInvalid,
		says: `"field":"toolCallId"`},
	"PRO-136": {row: "POST /v1/calls", token: "TA", body: `{"runId":"r","toolCallId":"t","toolName":"rm","risk":"low"}`, status: 422,
		code: permission.CodeInvalid, says: `"field":"risk"`},
	"PRO-148": {row: "GET /v1/events?token=TA", status: 401, code: codeUnauthorized},
}

// otherwise are the rows that are no single request to this door, with the test
// or the reason.
var otherwise = map[string]string{
	"PRO-069": "an input may be any JSON here: it is kept, shown and asked about as it is (TestAskTakesAnyInput)",
	"PRO-073": "the same: what a null means is the tool's to say",
	"PRO-101": "TestProtocolOddRows",
	"PRO-116": "TestProtocolOfARealDesk",
	"PRO-118": "TestProtocolOfARealDesk",
	"PRO-119": "TestProtocolOddRows: results up to 32 MiB are kept whole, larger ones are 413",
	"PRO-126": "TestLimitsOfARealDesk, TestAFloodStandsInItsOwnWay",
	"PRO-138": "TestASlowReaderIsDropped",
	"PRO-140": "TestProtocolOddRows",
	"PRO-145": "TestASlowBodyIsCut",
}

// newAbused is a site that knows the tokens by the names that the rows have for them.
func newAbused(t *testing.T) *site {
	s := newSite(t, nil)
	s.desk.agents = map[string]permission.Agent{"TA": s.desk.agents[tokenA], "TB": s.desk.agents[tokenB]}
	return s
}

func TestProtocolAbuse(t *testing.T) {
	text, err := os.ReadFile("testdata/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []abuse
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	driven := 0
	for _, a := range rows {
		if slices.Contains([]string{"MCP", "hook"}, a.Channel) {
			continue // of other doors
		}
		how, ok := asks[a.ID]
		switch {
		case ok:
			driven++
			t.Run(a.ID+" "+a.Reason, func(t *testing.T) { drive(t, &a, how) })
		case otherwise[a.ID] == "":
			t.Errorf("%s (%s) is not driven, and nothing says why", a.ID, a.Reason)
		}
	}
	if driven != len(asks) {
		t.Errorf("%d rows are driven, the table has %d", driven, len(asks))
	}
}

func drive(t *testing.T, a *abuse, how adapted) {
	s := newAbused(t)
	port := s.url[strings.LastIndex(s.url, ":")+1:]
	var headers []string
	for name, value := range a.Request.Headers {
		headers = append(headers, http.CanonicalHeaderKey(name), strings.ReplaceAll(value, "PORT", port))
	}
	for name, value := range how.headers {
		headers = append(headers, name, value)
	}
	body := how.body
	if body == "$own" {
		body = a.body(t)
	}
	method, path, _ := strings.Cut(how.row, " ")
	got := s.send(method, path, how.token, body, headers...)
	if got.status != how.status || !strings.Contains(string(got.body), how.says) {
		t.Errorf("%d %s, want %d", got.status, got.body, how.status)
	}
	if how.code != "" && got.problem(t).Code != how.code {
		t.Errorf("%s, want %s", got.body, how.code)
	}
	for name := range got.header {
		if strings.HasPrefix(name, "Access-Control") {
			t.Errorf("%s is sent", name)
		}
	}
	if sent := strings.TrimPrefix(a.Request.Headers["Authorization"], "Bearer "); how.status == 401 && len(sent) > 2 &&
		strings.Contains(string(got.body), sent) {
		t.Errorf("the token is echoed: %s", got.body)
	}
	if s.desk.touched() > 0 {
		t.Errorf("the desk was asked: %v", s.desk.counts)
	}
}

func TestProtocolOddRows(t *testing.T) {
	t.Run("PRO-101 a TLS hello", func(t *testing.T) {
		s := newAbused(t)
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"+strings.Repeat("\x00", 160))
		_ = conn.(*net.TCPConn).CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		answer, err := io.ReadAll(conn)
		if err != nil || len(answer) > 0 && !strings.Contains(string(answer), " 400 ") || s.desk.touched() > 0 {
			t.Errorf("%v %.100q, the desk did %v", err, answer, s.desk.counts)
		}
	})
	t.Run("PRO-119 a result that is too large", func(t *testing.T) {
		s := newAbused(t)
		c := *sampleOf([3]string{"POST", "/v1/calls/call-a/result"})
		c.token = "TA"
		if got := tooLong(t, s, &c); !strings.HasPrefix(got, "HTTP/1.1 413 ") || s.desk.touched() > 0 {
			t.Errorf("%.200s, the desk did %v", got, s.desk.counts)
		}
	})
	t.Run("PRO-140 an event of the future", func(t *testing.T) {
		s := newAbused(t)
		s.desk.happen(happened(12, permission.CallCreated, "c", "agent-a"))
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer TA")
		req.Header.Set("Last-Event-ID", "999999999")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				if name != "reset" {
					t.Errorf("the first event is %s", name)
				}
				return
			}
		}
		t.Errorf("no event: %v", lines.Err())
	})
}
