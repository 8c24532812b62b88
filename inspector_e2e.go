//go:build e2e

package main

// disarmInspector leaves the inspector's variables: the tests drive the window
// through them. This build is never shipped.
func disarmInspector() {}
