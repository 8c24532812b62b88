package restwire

import (
	"context"
	"net/http"
	"testing"
)

func TestTheOperatorIsNoAgent(t *testing.T) {
	r, _ := http.NewRequest("GET", "/", nil)
	if _, ok := AgentFrom(r.WithContext(context.WithValue(r.Context(), callerKey{}, Caller{}))); ok {
		t.Error("the operator is an agent")
	}
}
