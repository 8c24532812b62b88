//go:build !unix

package sqlite_test

import (
	"testing"
	"time"
)

func cpu(*testing.B) time.Duration { return 0 } // not known
