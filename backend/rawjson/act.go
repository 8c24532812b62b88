package rawjson

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// meta is the member of an envelope that may differ between two calls that are the same.
const meta = "_meta"

// EnvelopeHash is a call's envelopeHash (CONTRACT section 3): "sha256:" and the hex
// SHA-256 of the canonical form of its envelope.
func EnvelopeHash(envelope []byte) (string, error) {
	sum, err := Sum(json.RawMessage(envelope))
	if err != nil {
		return "", fmt.Errorf("hash envelope: %w", err)
	}
	return "sha256:" + sum, nil
}

// AskedHash is that by which a call is known when the same is asked for again: a hash
// over its method, its inputHash and the canonical form of its envelope without _meta.
// It is "" for a tool call, whose method is given as "", that has no such envelope: its
// inputHash says all then.
func AskedHash(method, inputHash string, envelope []byte) (string, error) {
	rest, err := Without(envelope, meta)
	if err != nil {
		return "", fmt.Errorf("hash call: envelope: %w", err)
	}
	if method == "" && rest == nil {
		return "", nil
	}
	if rest == nil {
		rest = []byte("null")
	}
	b := append(appendString([]byte("["), method), ',')
	b = append(append(append(appendString(b, inputHash), ','), rest...), ']')
	if b, err = Canonical(nil, b); err != nil {
		return "", fmt.Errorf("hash call: %w", err)
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Without gives an object without some of its members, the others as they were written.
// It is nil where none is left; no bytes count as an object without members.
func Without(object []byte, names ...string) ([]byte, error) {
	if len(object) == 0 {
		return nil, nil
	}
	members, err := Members(object)
	if err != nil {
		return nil, err
	}
	return Object(members, names...), nil
}

// Object writes members as an object, but those with some names; nil where none is left.
func Object(members []Member, without ...string) []byte {
	var b []byte
	for _, m := range members {
		if slices.Contains(without, m.Key) {
			continue
		}
		b = append(b, ',')
		b = append(append(append(b, m.RawKey...), ':'), m.Value...)
	}
	if b == nil {
		return nil
	}
	b[0] = '{'
	return append(b, '}')
}
