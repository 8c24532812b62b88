package main

import (
	"io"
	"testing"

	"sekisho/backend/manualtest"
)

// TestManual makes the manual pages of sekishod.
func TestManual(t *testing.T) { manualtest.Pages(t, command(io.Discard)) }
