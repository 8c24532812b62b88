package restclient

import (
	"errors"
	"net/http"

	"sekisho/backend/proved"
)

// HTTP speaks with the desk of one token: only over connections on which the desk
// has proved itself, and following no redirects, which could carry the token elsewhere.
func HTTP(token string) *http.Client {
	return &http.Client{Transport: proved.NewTransport(token), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// unproved takes the words around the error of a desk that did not prove itself away:
// they tell of a request, and none was sent.
func unproved(err error) error {
	if none := (*proved.Error)(nil); errors.As(err, &none) {
		return none
	}
	return err
}
