package restwire

import (
	"context"
	"net/http"
	"time"
)

// admission is the place of a request for the gateway in its agent's lane.
type admission struct {
	lanes *Lanes
	who   laneKey
	leave func() // gives back what its bytes take
}

type admissionKey struct{}

// AdmitFrom waits until an agent's message over MCP, whose body was read, may be parsed;
// leave gives all back that it takes of the agent's lane. False is too much at once.
func AdmitFrom(r *http.Request, members int) (leave func(), ok bool) {
	a, within := r.Context().Value(admissionKey{}).(admission)
	if !within {
		return func() {}, true
	}
	parsed, p := a.lanes.takeParsing(r.Context(), a.who, members)
	if p != nil {
		return nil, false
	}
	return func() {
		parsed()
		a.leave()
	}, true
}

// Gateway lets agents through to the MCP gateway, which finds the agent by AgentFrom. A
// message has its turns until it is parsed, see AdmitFrom: a call may wait for long.
func (a *API) Gateway(gateway http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, p := a.table.gate.authenticate(r)
		if p == nil && c.role() != Agents {
			p = forbidden(c, "")
		}
		if p != nil {
			p.write(w)
			return
		}
		leave := func() {}
		if r.ContentLength != 0 {
			if leave, p = a.Lanes.takeReading(r, c.lane(), weightOf(r)); p != nil {
				p.write(w)
				return
			}
			defer leave()
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a stream lasts as long as its caller
		ctx := context.WithValue(r.Context(), callerKey{}, c)
		r = r.WithContext(context.WithValue(ctx, admissionKey{}, admission{a.Lanes, c.lane(), leave}))
		if r.ContentLength != 0 {
			r.Body = pace(w, r.Body)
		}
		gateway.ServeHTTP(w, r)
	})
}
