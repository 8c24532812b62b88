package rest

import (
	"context"
	"net/http"
)

func (h *agentRows) addLogin(a *api) {
	register(a, row{method: http.MethodPost, path: "/v1/login", id: "login", remote: true,
		summary: "Change a login code for a token",
		about:   "A code works once, within ten minutes. The token is for the Authorization header: there are no cookies."}, h.login)
	register(a, row{method: http.MethodPost, path: "/v1/login-codes", id: "createLoginCode", remote: true, who: operators(),
		status:  http.StatusCreated,
		summary: "Make a link that logs a browser in, once"}, h.createLoginCode)
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
		return nil, unauthorized()
	}
	token, ok, wait := h.operator.login(in.Body.Code, h.now())
	switch {
	case wait:
		p := refuse(http.StatusTooManyRequests, codeTooOften, "too many wrong codes: try again in a second")
		p.retry = 1
		return nil, p
	case !ok:
		return nil, refuse(http.StatusUnauthorized, codeUnauthorized, "this code is not valid: it works once, within ten minutes")
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
	out.Body.LoginURL = h.operator.LoginURL(callerOf(ctx).base, h.now())
	return out, nil
}
