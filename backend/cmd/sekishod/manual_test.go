package main

import (
	"io"
	"testing"

	"sekisho/backend/manualtest"
)

func TestManual(t *testing.T) { manualtest.Pages(t, command(io.Discard)) }
