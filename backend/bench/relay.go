package main

import (
	"bytes"
	"io"
	"maps"
	"net/http"
)

// relayCommand lets this program be a relay in a process of its own, as the desk is.
const relayCommand = "relay"

// relay passes on what comes to an address, and looks at nothing: what a second hop in
// Go costs by itself.
func relay(address, to string) error {
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, resp, err := pass(&client, r, to)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		w.Write(said) // whoever is gone has missed nothing
	}))
}

func pass(client *http.Client, r *http.Request, to string) ([]byte, *http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequest(r.Method, to, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = r.Header.Clone()
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	return said, resp, err
}
