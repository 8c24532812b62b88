package rest

import (
	"context"
	"net/http"

	"sekisho/backend/restwire"
)

func (h *agentRows) addLogin(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST /v1/login", ID: "login", Remote: true,
		Summary: "Change a login code for a token",
		About:   "A code works once, within ten minutes. The token is for the Authorization header: there are no cookies."}, h.login)
	restwire.Register(a, restwire.Row{Route: "POST /v1/login-codes", ID: "createLoginCode", Remote: true, Who: restwire.Operators,
		Status:  http.StatusCreated,
		Summary: "Make a link that logs a browser in, once"}, h.createLoginCode)
}

type loginIn struct {
	Body struct {
		Code string `json:"code" minLength:"1" maxLength:"256"`
	}
}

type loginOut struct {
	Body struct {
		Token string `json:"token"`
	}
}

func (h *agentRows) login(_ context.Context, in *loginIn) (*loginOut, error) {
	if h.operator == nil {
		return nil, restwire.Unauthorized()
	}
	token, ok, wait := h.operator.login(in.Body.Code, h.now())
	switch {
	case wait:
		p := restwire.Refuse(http.StatusTooManyRequests, restwire.CodeTooOften, "too many wrong codes: try again in a second")
		p.Retry = 1
		return nil, p
	case !ok:
		return nil, restwire.Refuse(http.StatusUnauthorized, restwire.CodeUnauthorized, "this code is not valid: it works once, within ten minutes")
	}
	out := &loginOut{}
	out.Body.Token = token
	return out, nil
}

type loginCodeOut struct {
	Body struct {
		LoginURL string `json:"loginUrl"`
	}
}

func (h *agentRows) createLoginCode(ctx context.Context, _ *struct{}) (*loginCodeOut, error) {
	out := &loginCodeOut{}
	out.Body.LoginURL = h.operator.LoginURL(restwire.CallerOf(ctx).Base, h.now())
	return out, nil
}
