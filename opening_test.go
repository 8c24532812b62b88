package main

import (
	"errors"
	"io"
	"net/http"
	"testing"
)

// TestWhatIsAskedWaitsForTheDesk: the page may be there before the desk is open, and hears why it will not be.
func TestWhatIsAskedWaitsForTheDesk(t *testing.T) {
	app, err := newApp(nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	tried, held := make(chan bool), errors.New("held")
	app.opening = begin(func() error {
		<-tried
		return held
	})
	said := make(chan string)
	go func() { said <- app.Info() }()
	select {
	case early := <-said:
		t.Fatalf("answered before the desk was open: %s", early)
	default:
	}
	if app.opening.failed() {
		t.Error("failed before it was tried")
	}
	close(tried)
	if got := refusal(t, <-said, "internal"); got.Error.Message != held.Error() {
		t.Errorf("%+v", got.Error)
	}
	if !app.opening.failed() || app.beforeClose(t.Context()) {
		t.Error("a window without a desk stays")
	}
	if got := app.Ask("GET", "/v1/settings", "", ""); got != answered(http.StatusServiceUnavailable, `{"code":"unavailable","detail":"the desk is not open"}`) {
		t.Errorf("%s", got)
	}
	refusal(t, app.CreateAgent("a"), "internal")
	refusal(t, app.DeleteAgent("a"), "internal")
	app.close()
}
