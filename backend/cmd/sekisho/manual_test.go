package main

import (
	"testing"

	"sekisho/backend/manualtest"
)

// TestManual makes the manual pages of sekisho.
func TestManual(t *testing.T) { manualtest.Pages(t, root()) }
