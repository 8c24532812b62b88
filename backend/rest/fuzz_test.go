package rest

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// bodyRows are the rows that take a body, with a token that may use them.
func bodyRows() [][3]string {
	var rows [][3]string
	for _, c := range samples {
		if c.body != "" {
			rows = append(rows, [3]string{c.method(), c.url(), c.token})
		}
	}
	return rows
}

// FuzzBody sends anything to every row that takes a body: whatever comes is the
// sender's mistake or none, never a fault of ours.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		goodAsk, `{}`, `[]`, `{"`, `{"a":1,"a":2}`,
		`{"input":{"x":[1e999,-0]},"toolName":"","runId":"r","toolCallId":"t","timeoutSeconds":1e308}`,
		`{"approved":true,"inputHash":"h","rev":9223372036854775807}`,
		`{"rules":[{"id":"x","effect":"deny","expiresAt":"2030-01-01T00:00:00Z"},{}]}`,
		`{"servers":[{"id":"a","command":"b","env":{"":"x"},"args":[null]}]}`,
		`{"priority":-2147483649,"toolPattern":"*"}`, `{"claimId":"c","ok":true,"output":null}`, `{"code":"x"}`, `{"name":" "}`,
		`{"input":{"tool":{"name":"x","serverId":null},"args":[]}}`, `{"input":{"tools":[{"name":"x"},"y",{}]}}`,
		`{"input":{"tools":{"x":0},"providerOptions":{"sekisho":{"tools":[]}}}}`,
		`{"deadlines":{"low":null},"patience":{"x":null,"y":9},"retention":{"inputDays":3}}`,
		`{"document":{"format":"sekisho.rules","version":1,"rules":[{"id":"a","condition":"input.x"}]},"accept":["a"]}`,
		`{"rules":[{},{"id":"unnamed-000000"}]}`, `{"inputHash":"h","claimant":"c","claimKey":"k","leaseSeconds":1e3}`, "\xef\xbb\xbf{}",
		"{\"\\u0000\":\"\xff\"}",
	} {
		for i := range bodyRows() {
			f.Add(uint8(i), seed)
		}
	}
	for i, row := range bodyRows() {
		f.Add(uint8(i), sampleOf(row).body)
	}
	door := New(deskOf(newFake()), Options{Operator: NewOperator(tokenOp), SignIns: newSignIns(), Insights: counted(), Roles: rolled(),
		Work: working(), WorkSwitch: turned{}, Executors: served1(), Projects: someProjects(f),
		Logger: slog.New(slog.DiscardHandler)})
	rows := bodyRows()
	f.Fuzz(func(t *testing.T, row uint8, body string) {
		r := rows[int(row)%len(rows)]
		req := httptest.NewRequest(r[0], "http://127.0.0.1"+r[1], io.NopCloser(strings.NewReader(body)))
		if r[2] != "" {
			req.Header.Set("Authorization", "Bearer "+r[2])
		}
		rec := httptest.NewRecorder()
		door.ServeHTTP(rec, req)
		if rec.Code >= http.StatusInternalServerError {
			t.Errorf("%s %s %q: %d %s", r[0], r[1], body, rec.Code, rec.Body)
		}
		kind := rec.Header().Get("Content-Type")
		if rec.Code >= 400 && kind != "application/problem+json" || rec.Code < 400 && rec.Code != http.StatusNoContent &&
			kind != "application/json" {
			t.Errorf("%s %s %q: %d as %s", r[0], r[1], body, rec.Code, kind)
		}
	})
}

func sampleOf(row [3]string) *sample {
	for i := range samples {
		if c := &samples[i]; c.method() == row[0] && c.url() == row[1] {
			return c
		}
	}
	return nil
}
