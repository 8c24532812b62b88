//go:build !e2e

package main

import "os"

// disarmInspector takes away what would let any process of this user drive the
// page, and press Approve in it, through WebKit's remote inspector.
func disarmInspector() {
	os.Unsetenv("WEBKIT_INSPECTOR_SERVER")
	os.Unsetenv("WEBKIT_INSPECTOR_HTTP_SERVER")
}
