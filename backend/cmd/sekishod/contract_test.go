package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

// The tests named TestContract know the desk as an outsider does: a real process,
// text sent over HTTP, and JSON read without any type of ours.

// fields is a JSON object, written or read.
type fields = map[string]any

// visitor is somebody with a token, or nobody, at a running desk.
type visitor struct {
	*testing.T
	url, token, name string
	seen             *sightings
}

// sightings are the statuses and codes of all answers, for the test that wants each.
type sightings struct{ sync.Map }

func (d *daemon) visit(t *testing.T, name, token string) visitor {
	return visitor{t, d.URL, token, name, &sightings{}}
}

// party is a desk with an operator and two agents, for the tests of one table.
type party struct {
	*daemon
	op, a, b visitor
}

func newParty(t *testing.T) *party {
	d := start(t, t.TempDir())
	p := &party{daemon: d, op: d.visit(t, "operator", operator), a: d.visit(t, "agent", d.agent("a")), b: d.visit(t, "agent", d.agent("b"))}
	p.a.seen, p.b.seen = p.op.seen, p.op.seen
	return p
}

// with is the party in a subtest, with two new agents: what one does is not in the
// way of the next.
func (p *party) with(t *testing.T) (op, a, b visitor) {
	op, a, b = p.op, p.a, p.b
	op.T, a.T, b.T = t, t, t
	for _, v := range []*visitor{&a, &b} {
		v.token = op.do(201, "POST /v1/agents", fields{"name": unique("agent")}).text("token")
	}
	return op, a, b
}

// unique makes a name that nobody else uses.
func unique(word string) string { return word + "_" + strings.ToLower(rand.Text()[:10]) }

// reply is an answer.
type reply struct {
	*testing.T
	line   string
	status int
	header http.Header
	raw    []byte
	body   any
}

// send sends a request; a body that is text goes out as it is.
func (v visitor) send(line string, body any, headers ...string) reply {
	v.Helper()
	method, path, _ := strings.Cut(line, " ")
	var content io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	case io.Reader:
		content = b
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			v.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(v.Context(), method, v.url+path, content)
	if err != nil {
		v.Fatal(err)
	}
	if req.Header.Set("Content-Type", "application/json"); v.token != "" {
		req.Header.Set("Authorization", "Bearer "+v.token)
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.Fatalf("%s: %v", line, err)
	}
	defer resp.Body.Close()
	r := reply{T: v.T, line: line, status: resp.StatusCode, header: resp.Header}
	if r.raw, err = io.ReadAll(resp.Body); err != nil {
		v.Fatalf("%s: %v", line, err)
	}
	if len(r.raw) > 0 && strings.Contains(resp.Header.Get("Content-Type"), "json") {
		r.body = v.decode(r.raw)
		r.described()
	}
	v.seen.Store(fmt.Sprint(r.status), true)
	v.seen.Store(fmt.Sprint(r.status, " ", r.at("code")), true)
	return r
}

func (v visitor) decode(raw []byte) (out any) {
	v.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		v.Fatalf("%v: %s", err, raw)
	}
	return out
}

// do is send, and the status and the common form of the answer are checked.
func (v visitor) do(want int, line string, body any, headers ...string) reply {
	v.Helper()
	r := v.send(line, body, headers...)
	if r.status != want {
		v.Fatalf("%s %s as %s: %d %s, want %d", line, brief(body), v.name, r.status, r.raw, want)
	}
	r.form("", r.body)
	if r.status >= 400 {
		r.problem()
	}
	return r
}

func brief(body any) string {
	text := fmt.Sprint(body)
	return text[:min(len(text), 200)]
}

// refused is do, and the code.
func (v visitor) refused(want int, code, line string, body any, headers ...string) reply {
	v.Helper()
	return v.do(want, line, body, headers...).has("code", code)
}

var (
	camel     = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	utcMillis = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	uuid7     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	hashForm  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// form holds every key to camelCase and every time to RFC 3339 UTC with
// milliseconds, but in what callers wrote themselves.
func (r reply) form(path string, value any) {
	r.Helper()
	switch v := value.(type) {
	case []any:
		for i, e := range v {
			r.form(fmt.Sprint(path, ".", i), e)
		}
	case fields:
		for key, e := range v {
			if !camel.MatchString(key) {
				r.Errorf("%s: the key %s.%s", r.line, path, key)
			}
			if text, ok := e.(string); ok && (strings.HasSuffix(key, "At") || strings.HasSuffix(key, "Until")) && !utcMillis.MatchString(text) {
				r.Errorf("%s: the time %s.%s is %s", r.line, path, key, text)
			}
			if !slices.Contains([]string{"input", "envelope", "result", "resumeSchema", "resumeData", "env", "headers", "patience", "counts",
				"paths", "components", "toolPermissions", "members"}, key) {
				r.form(path+"."+key, e)
			}
		}
	}
}

// conflicts are the codes of 409 that carry the call.
var conflicts = strings.Fields(
	"call_conflict already_decided expired cancelled revoked denied not_approved already_claimed hash_mismatch stale result_conflict")

// problem holds an error to RFC 9457 and to what its status owes.
func (r reply) problem() {
	r.Helper()
	if kind := r.header.Get("Content-Type"); kind != "application/problem+json" || r.at("title") == missing ||
		r.text("status") != fmt.Sprint(r.status) || r.at("code") == missing {
		r.Errorf("%s: %s is no problem: %s", r.line, kind, r.raw)
	}
	switch {
	case r.status == 409 && slices.Contains(conflicts, r.text("code")):
		fits(r.T, r.line+": call", r.at("call"), callShape)
	case r.status == 422 && r.at("field") == missing && r.at("errors") == missing:
		r.Errorf("%s: no path: %s", r.line, r.raw)
	case r.status == 429 && (r.header.Get("Retry-After") == "" || r.at("detail") == missing):
		r.Errorf("%s: no Retry-After or reason: %v %s", r.line, r.header, r.raw)
	}
}

// at finds "call.why.rule.id" or "settled.0"; what is not there is missing.
func at(value any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch v := value.(type) {
		case fields:
			inner, ok := v[key]
			if !ok {
				return missing
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				return missing
			}
			value = v[i]
		default:
			return missing
		}
	}
	return value
}

type nowhere string

const missing nowhere = "(missing)"

func (r reply) at(path string) any { return at(r.body, path) }

func (r reply) text(path string) string { return fmt.Sprint(r.at(path)) }

func (r reply) list(path string) []any {
	r.Helper()
	list, ok := r.at(path).([]any)
	if !ok {
		r.Fatalf("%s: %s is no list: %s", r.line, path, r.raw)
	}
	return list
}

func (r reply) time(path string) time.Time {
	r.Helper()
	t, err := time.Parse(time.RFC3339, r.text(path))
	if err != nil {
		r.Fatalf("%s: %s: %v in %s", r.line, path, err, r.raw)
	}
	return t
}

// has compares pairs of path and value by their text; null is nil.
func (r reply) has(pairs ...any) reply {
	r.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got, want := r.text(pairs[i].(string)), fmt.Sprint(pairs[i+1]); got != want {
			r.Errorf("%s: %s is %s, want %s\n%s", r.line, pairs[i], got, want, r.raw)
		}
	}
	return r
}

// says wants words in a text.
func (r reply) says(path, words string) reply {
	r.Helper()
	if !strings.Contains(r.text(path), words) {
		r.Errorf("%s: %s is %q, without %q", r.line, path, r.text(path), words)
	}
	return r
}

// canonical is RFC 8785 with numbers as they were written, for values without
// control characters.
func canonical(value any) string {
	switch v := value.(type) {
	case fields:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		for i, key := range keys {
			keys[i] = canonical(key) + ":" + canonical(v[key])
		}
		return "{" + strings.Join(keys, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = canonical(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v)
		return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(b.String()))
	case nil:
		return "null"
	}
	return fmt.Sprint(value)
}

func hexSHA(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// until asks again until what comes is good.
func (v visitor) until(what, line string, good func(reply) bool) reply {
	v.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		r := v.do(200, line, nil)
		if good(r) {
			return r
		}
		if time.Now().After(deadline) {
			v.Fatalf("%s: never %s: %s", line, what, r.raw)
		}
	}
}
