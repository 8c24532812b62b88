package main

import (
	"testing"

	"sekisho/backend/manualtest"
)

func TestManual(t *testing.T) { manualtest.Pages(t, root()) }
