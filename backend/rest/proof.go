package rest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"sekisho/backend/permission"
	"sekisho/backend/proof"
	"sekisho/backend/restwire"
)

func (h *agentRows) addProof(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "POST " + proof.Path, ID: "proveDesk", Remote: true,
		Summary: "Prove to a program that this is the desk, before it sends its token",
		About: "With hash = SHA-256 of the token, key is the first 8 bytes of SHA-256(hash) in hexadecimal, and proof is HMAC-SHA-256 in hexadecimal, keyed with hash, " +
			"over \"sekisho-proof-1\", the nonce and the address, with a line feed (U+000A) between them. A proof is of the connection that it came over. A key that no token has, and an address that is not the desk's, are refused alike."}, h.prove)
}

type proofIn struct {
	Body struct {
		Key     string `json:"key" pattern:"^[0-9a-f]{16}$" doc:"names the token"`
		Nonce   string `json:"nonce" pattern:"^[A-Za-z0-9_-]{32,128}$" doc:"fresh and random, of 256 bits"`
		Address string `json:"address,omitempty" maxLength:"300" doc:"host:port that was dialled, localhost as the number that was reached; left out, it is the desk's own: that of sekishod --address, else where this connection came in. Any other is refused"`
	}
}

type proofOut struct {
	Body struct {
		Proof string `json:"proof"`
	}
}

func (h *agentRows) prove(ctx context.Context, in *proofIn) (*proofOut, error) {
	q := in.Body
	switch {
	case !proof.ValidKey(q.Key):
		return nil, permission.Invalid("key", permission.FieldKeyForm, "a key is 16 hexadecimal digits in lower case")
	case !proof.ValidNonce(q.Nonce):
		return nil, permission.Invalid("nonce", permission.FieldNonceForm, "a nonce is 32 to 128 letters, digits, dashes and underscores")
	}
	address, ok := h.ownAddress(ctx, q.Address)
	if !ok {
		return nil, unproved()
	}
	out := &proofOut{}
	if hash, known := h.operator.proving(q.Key, h.now()); known {
		out.Body.Proof = hash.Of(q.Nonce, address)
		return out, nil
	}
	var err error
	if out.Body.Proof, err = h.agents.Prove(ctx, q.Key, q.Nonce, address); errors.Is(err, permission.NotFound("")) {
		return nil, unproved()
	}
	return out, err
}

func unproved() *restwire.Problem {
	return restwire.Refuse(http.StatusUnauthorized, restwire.CodeUnauthorized, "nothing is proved for this key at this address")
}

// ownAddress gives the address that a connection may be told to have reached: the one
// where it came in, or the one that the desk was said to be reached at.
func (h *agentRows) ownAddress(ctx context.Context, asked string) (address string, ok bool) {
	here := ""
	if a, ok := ctx.Value(http.LocalAddrContextKey).(net.Addr); ok {
		here = proof.Address(a.String())
	}
	given := proof.Address(h.address)
	switch asked = proof.Address(asked); {
	case asked == "" && given != "":
		return given, true
	case asked == "":
		return here, here != ""
	}
	return asked, asked == here || asked == given
}

// proving gives the hash that a key of a proof names: that of the operator's token, or what
// stands for their key.
func (o *Operator) proving(key string, now time.Time) (proof.Hash, bool) {
	if o == nil {
		return proof.Hash{}, false
	}
	if o.keys != nil {
		if hash, known := o.keys.Proving(key, now); known {
			return hash, true
		}
	}
	return proof.Hash(o.token), proof.Hash(o.token).Key() == key
}
