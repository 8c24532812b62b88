package restwire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
)

// oneAgent is the agent of the token "agent".
type oneAgent struct{}

func (oneAgent) Authenticate(_ context.Context, token string) (permission.Agent, error) {
	if token != "agent" {
		return permission.Agent{}, permission.NotFound("agent")
	}
	return permission.Agent{ID: "a", Name: "A"}, nil
}

type thing struct {
	ID   string `path:"id"`
	N    int    `query:"n"`
	Body struct {
		Name string `json:"name" minLength:"1"`
		Size int64  `json:"size,omitempty"`
	}
}

type said struct{ Body string }

// small is an API of a few rows, and what it was told of refused tries.
func small() (a *API, refused *[]string) {
	refused = new([]string)
	a = New(Options{Agents: oneAgent{}, Words: func(huma.Registry) {}, SchemaName: huma.DefaultSchemaNamer,
		Operator:     func(token string) (string, bool) { return "", token == "person" },
		Refused:      func(_ permission.Agent, method, path string) { *refused = append(*refused, method+" "+path) },
		InputMembers: func() int { return 10 }, Logger: slog.New(slog.DiscardHandler)})
	Register(a, Row{Route: "PUT /things/{id}", ID: "put", Who: Both}, func(_ context.Context, in *thing) (*said, error) {
		return &said{fmt.Sprintf("%s %s %d", in.ID, in.Body.Name, in.Body.Size)}, nil
	})
	Register(a, Row{Route: "DELETE /things/{id}", ID: "delete", Who: Operators, Forbidden: permission.CodeSelfApproval},
		func(_ context.Context, in *struct {
			ID string `path:"id"`
		}) (*said, error) {
			return nil, errors.New("a secret of the desk")
		})
	last := func(context.Context, *struct{}) (*said, error) {
		return nil, &permission.Error{Code: permission.CodeStale, Message: "gone"}
	}
	Register(a, Row{Route: "GET /things/last", ID: "last"}, last)
	Register(a, Row{Route: "GET /open", ID: "open", Remote: true}, last)
	a.Handle("/", http.HandlerFunc(NotFound))
	a.Finish(map[string]map[string]string{"ThingBody": {"name": "what it is called"}})
	return a, refused
}

// asked is an answer, with its problem where it is one.
type asked struct {
	*httptest.ResponseRecorder
	p Problem
}

func ask(h http.Handler, route, token, body string, headers ...string) (got asked) {
	method, path, _ := strings.Cut(route, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got.ResponseRecorder = httptest.NewRecorder()
	h.ServeHTTP(got, r)
	_ = json.Unmarshal(got.Body.Bytes(), &got.p)
	return got
}

// TestChecksComeInOrder: each request passes one check more than the one before, and what
// later checks would say of it is not told.
func TestChecksComeInOrder(t *testing.T) {
	a, refused := small()
	for _, c := range []struct {
		route, token, body string
		headers            []string
		status             int
		code               permission.Code
	}{
		{"BREW /nowhere", "nobody", `{"a":`, []string{"Origin", "http://evil.example"}, 403, permission.CodeForbidden},
		{"BREW /nowhere", "nobody", `{"a":`, nil, 404, permission.CodeNotFound},
		{"BREW /things/x?n=1&n=2", "nobody", `{"a":`, nil, 401, CodeUnauthorized},
		{"BREW /things/x?n=1&n=2", "agent", `{"a":`, nil, 405, CodeMethod},
		{"DELETE /things/x?n=1&n=2", "agent", `{"a":`, nil, 403, permission.CodeSelfApproval},
		{"PUT /things/x?n=1&n=2", "agent", `{"a":`, []string{"Content-Type", "text/plain"}, 415, codeMediaType},
		{"PUT /things/x?n=1&n=2", "agent", `{"a":`, nil, 400, permission.CodeMalformed},
		{"PUT /things/x?n=1&n=2", "agent", `{"name":"x","name":"y"}`, nil, 400, permission.CodeMalformed},
		{"PUT /things/x?n=1&n=2", "agent", `{"a":1}`, nil, 422, permission.CodeInvalid},
		{"PUT /things/x?n=1&n=2", "agent", `{"name":"x"}`, nil, 422, permission.CodeInvalid},
		{"PUT /things/x?n=1", "agent", `{"name":"x"}`, nil, 200, ""},
		{"DELETE /things/x", "person", ``, nil, 500, codeInternal},
		{"GET /things/last", "", ``, nil, 409, permission.CodeStale},
		{"POST /open", "", ``, nil, 405, CodeMethod},
	} {
		got := ask(a, c.route, c.token, c.body, c.headers...)
		if got.Code != c.status || got.p.Code != c.code || strings.Contains(got.Body.String(), "secret") {
			t.Errorf("%s by %q with %s %v: %d %s", c.route, c.token, c.body, c.headers, got.Code, got.Body)
		}
	}
	if !slices.Equal(*refused, []string{"DELETE /things/{id}"}) {
		t.Errorf("refused tries: %q", *refused)
	}
}

func TestAPathHasTheRowsOfItsWildcard(t *testing.T) {
	a, _ := small()
	if got := ask(a, "PUT /things/last", "agent", `{"name":"x"}`); got.Code != 200 || !strings.Contains(got.Body.String(), "last x 0") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := ask(a, "POST /things/last", "agent", ``); got.Header().Get("Allow") != "DELETE, GET, PUT" {
		t.Errorf("%d, allowed is %q", got.Code, got.Header().Get("Allow"))
	}
	if got := ask(a, "PUT /things/%2f", "agent", `{"name":"x"}`); !strings.Contains(got.Body.String(), "/ x 0") {
		t.Errorf("an id that is a slash: %d %s", got.Code, got.Body)
	}
}

func TestBodiesAreReadExactly(t *testing.T) {
	a, _ := small()
	got := ask(a, "PUT /things/x", "agent", `{"name":"x","size":9007199254740993}`)
	if !strings.Contains(got.Body.String(), "x 9007199254740993") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	for body, want := range map[string]Detail{
		`{"name":"x","size":9223372036854775808}`: {Location: "body.size", Code: permission.FieldWrongType},
		`{"name":"x","Size":1}`:                   {Location: "body.Size", Code: permission.FieldUnknown},
		`{"name":"x","size":null}`:                {Location: "body.size", Code: permission.FieldWrongType},
		`{"name":""}`:                             {Location: "body.name", Code: permission.FieldTooShort},
		`{"size":1}`:                              {Location: "body.name", Code: permission.FieldRequired},
		`{"name":"x","other":[` + strings.Repeat("0,", besideInput+10) + `0]}`: {Location: "body.other", Code: permission.FieldTooManyMembers},
	} {
		got := ask(a, "PUT /things/x", "agent", body)
		if got.Code != 422 || len(got.p.Errors) != 1 || !strings.HasPrefix(got.p.Errors[0].Location, want.Location) ||
			got.p.Errors[0].Code != want.Code {
			t.Errorf("%.60s: %d %s", body, got.Code, got.Body)
		}
	}
}

func TestTheWindowIsThePersonAndStandsBehindNoListener(t *testing.T) {
	a, _ := small()
	if got := ask(a.Window(), "PUT /things/x", "", `{"name":"x"}`); got.Code != 200 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	for _, route := range []string{"GET /open", "GET /openapi.json", "GET /", "PUT /things//x"} {
		if got := ask(a.Window(), route, "", ``); got.Code != 404 || got.p.Code == "" {
			t.Errorf("%s: %d %s", route, got.Code, got.Body)
		}
	}
	web := httptest.NewServer(a.Window())
	defer web.Close()
	r, err := http.Get(web.URL + "/things/x")
	if err != nil || r.StatusCode != 403 {
		t.Fatalf("over a connection: %+v %v", r, err)
	}
	_ = r.Body.Close()
}
