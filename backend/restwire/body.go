package restwire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

const (
	// maxBody bounds a body, in bytes.
	maxBody = 32 << 20
	// maxOpenBody is for the rows that need no token: nobody's turns bound those.
	maxOpenBody = 64 << 10
	// maxDrain is how much of a body that is too large is still read and thrown
	// away, since many clients read the answer only after they have sent all.
	maxDrain = 64 << 20
	// A body has bodyGrace to arrive, and a second more for each bodyPace bytes
	// that came, so that one byte now and then does not hold a connection.
	bodyGrace = 20 * time.Second
	bodyPace  = 64 << 10
	// maxDepth lets an input, which lies one level down, be as deep as it may.
	maxDepth = rawjson.MaxInputDepth + 1
	// besideInput is how many members and elements a body may have beside those of an
	// input, which the settings bound.
	besideInput = 1000
	// maxMembers is for a person's bodies: a set of rules has many.
	maxMembers = 1_000_000
)

// bodies reads the bodies of requests.
type bodies struct {
	lanes    *Lanes
	most     func() int // members and elements that an input may have
	registry huma.Registry
}

// take reads and checks the body and puts it back for huma to decode. What leave
// gives back is what the body takes of an agent's lane.
func (t *bodies) take(w http.ResponseWriter, r *http.Request, op *huma.Operation) (leave func(), p *Problem) {
	if p := checkKind(r); p != nil {
		return nil, p
	}
	limit := int64(maxBody)
	if len(op.Security) == 0 {
		limit = maxOpenBody
	}
	raw, members, p := readBody(w, r, limit, t.mostMembers(r, op))
	if p != nil {
		return nil, p
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	if len(raw) == 0 && !op.RequestBody.Required {
		return func() {}, nil
	}
	if leave, p = t.lanes.takeParsing(r.Context(), CallerOf(r.Context()).lane(), members); p != nil {
		return nil, p
	}
	if p = t.checkRead(op, raw); p == nil {
		r.Header.Set("Content-Type", JSON)
		p = checkShape(t.registry, op.RequestBody.Content[JSON].Schema, raw)
	}
	if p != nil {
		leave()
	}
	return leave, p
}

// mostMembers bounds what a body costs to parse.
func (t *bodies) mostMembers(r *http.Request, op *huma.Operation) int {
	switch {
	case len(op.Security) == 0:
		return besideInput
	case rowOf(op).Reads != nil:
		return math.MaxInt // what is read of it is counted when the rest was passed over
	case CallerOf(r.Context()).IsOperator():
		return maxMembers
	}
	return t.most() + besideInput
}

// checkKind takes plain JSON, said or unsaid.
func checkKind(r *http.Request) *Problem {
	if said := r.Header.Get("Content-Encoding"); said != "" && !strings.EqualFold(said, "identity") {
		return Refuse(http.StatusUnsupportedMediaType, codeMediaType, "a body is not compressed")
	}
	said := r.Header.Values("Content-Type")
	if len(said) == 0 {
		return nil
	}
	kind, params, err := mime.ParseMediaType(said[0])
	charset := params["charset"]
	if err != nil || len(said) > 1 || kind != JSON || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return Refuse(http.StatusUnsupportedMediaType, codeMediaType, "a body is application/json in UTF-8")
	}
	return nil
}

// readBody reads all of a body that is neither too large nor too slow, nor has too much in
// it, which is found before all of it is there.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, most int) (body []byte, members int, p *Problem) {
	paced := pace(w, r.Body)
	if r.ContentLength > limit+maxDrain {
		return nil, 0, tooLarge(limit)
	}
	var raw bytes.Buffer
	if r.ContentLength > 0 {
		raw.Grow(int(min(r.ContentLength, limit, 1<<20)) + bytes.MinRead)
	}
	p = tooLarge(limit)
	if r.ContentLength <= limit {
		counted := rawjson.Bounded(io.LimitReader(paced, limit+1), most)
		_, err := raw.ReadFrom(counted)
		bad := (*rawjson.Error)(nil)
		switch {
		case errors.As(err, &bad):
			p = malformed(bad)
		case err != nil:
			return nil, 0, unreadable(w, err)
		case int64(raw.Len()) <= limit:
			return raw.Bytes(), counted.Members(), nil
		}
	}
	_, _ = io.CopyN(io.Discard, paced, maxDrain) // whatever comes, the answer is the same
	return nil, 0, p
}

func tooLarge(limit int64) *Problem {
	return Refuse(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("a body has at most %d KiB here", limit>>10))
}

// unreadable answers a body that broke off, if anyone still listens.
func unreadable(w http.ResponseWriter, err error) *Problem {
	w.Header().Set("Connection", "close")
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Refuse(http.StatusRequestTimeout, CodeTooSlow, "the body came too slowly")
	}
	return Refuse(http.StatusBadRequest, permission.CodeMalformed, "the body broke off")
}

// pacedReader moves the connection's read deadline along with what came, and lifts it
// at the body's end: a request that waits for its answer is not slow. huma lifts it too
// before it calls a handler (BodyReadTimeout), for bodies that are not read.
type pacedReader struct {
	io.ReadCloser
	conn  *http.ResponseController
	start time.Time
	got   int64
}

func pace(w http.ResponseWriter, body io.ReadCloser) *pacedReader {
	return &pacedReader{ReadCloser: body, conn: http.NewResponseController(w), start: time.Now()}
}

func (p *pacedReader) Read(b []byte) (int, error) {
	// A writer without deadlines is not a connection, and nobody is slow on it.
	_ = p.conn.SetReadDeadline(p.start.Add(bodyGrace + time.Duration(p.got/bodyPace)*time.Second))
	n, err := p.ReadCloser.Read(b)
	p.got += int64(n)
	if err == io.EOF {
		_ = p.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// checkRead checks what a row reads of its body, and makes nothing of the rest.
func (t *bodies) checkRead(op *huma.Operation, raw []byte) *Problem {
	read := rowOf(op).Reads
	if read == nil {
		return checkRaw(raw, rawjson.Limits{Depth: maxDepth})
	}
	if err := read.overlook(raw); err != nil {
		return malformed(err)
	}
	return checkRaw(raw, rawjson.Limits{Depth: maxDepth + 1, Members: t.most() + besideInput}) // an input lies one level further down
}

// checkRaw refuses what two readers could read differently, and what is not an
// object.
func checkRaw(raw []byte, l rawjson.Limits) *Problem {
	if err := l.Check(raw); err != nil {
		return malformed(err)
	}
	if bytes.TrimLeft(raw, " \t\r\n")[0] != '{' {
		return Refuse(http.StatusUnprocessableEntity, permission.CodeInvalid, "the body is not a JSON object")
	}
	return nil
}

func malformed(err error) *Problem {
	p := Refuse(http.StatusBadRequest, permission.CodeMalformed, err.Error())
	var e *rawjson.Error
	if errors.As(err, &e) {
		at := strings.TrimPrefix(e.Path, "$")
		p.Errors = []Detail{{Location: "body" + at, Code: scanFault(e.Reason), Message: string(e.Reason)}}
		if e.Reason == rawjson.TooMany {
			p.Status, p.Title = http.StatusUnprocessableEntity, http.StatusText(http.StatusUnprocessableEntity)
			p.Code, p.Field = permission.CodeTooManyMembers, strings.TrimPrefix(at, ".")
		}
	}
	return p
}

// scanFault is what the strict scan found, as a word for a client.
func scanFault(r rawjson.Reason) permission.FieldCode {
	switch r {
	case rawjson.DuplicateKey:
		return permission.FieldDuplicateKey
	case rawjson.BadUTF8:
		return permission.FieldNotUTF8
	case rawjson.TooMany:
		return permission.FieldTooManyMembers
	case rawjson.NotObject:
		return permission.FieldWrongType
	}
	return permission.FieldMalformed
}
