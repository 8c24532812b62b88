package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"
)

// TestMain lets the test's own program be the server that is started: with a role in
// its environment it is that and no test.
func TestMain(m *testing.M) {
	switch os.Getenv("CONFORMANCE_ROLE") {
	case "server": // its second argument is the address, as the everything-server's
		fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[2], http.NotFoundHandler()))
		os.Exit(1)
	case "failure":
		fmt.Fprintln(os.Stderr, "no luck")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestServerStartsAndEnds(t *testing.T) {
	t.Setenv("CONFORMANCE_ROLE", "server")
	address, end, err := startServer(t.Context(), os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatalf("it does not accept connections: %v", err)
	}
	c.Close()
	end()
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("it still accepts connections")
	}
}

func TestServerThatFails(t *testing.T) {
	t.Setenv("CONFORMANCE_ROLE", "failure")
	_, _, err := startServer(t.Context(), os.Args[0])
	if !errors.Is(err, errEarly) {
		t.Errorf("error %v, want one that says it ended early", err)
	}
}

func TestContextEndsServer(t *testing.T) {
	t.Setenv("CONFORMANCE_ROLE", "server")
	ctx, cancel := context.WithCancel(t.Context())
	address, end, err := startServer(ctx, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	end()
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("it still accepts connections")
	}
}
