package restwire

import (
	"encoding/json"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// An input may be large and deep: it is not taken apart to be checked.
func TestWhatASchemaLeavesOpenStaysRaw(t *testing.T) {
	s := shape{path: huma.NewPathBuffer(nil, 0), found: &huma.ValidateResult{}}
	if got, ok := s.value(&huma.Schema{}, []byte(`{"a":[1]}`)).(json.RawMessage); !ok || string(got) != `{"a":[1]}` {
		t.Errorf("got %v", got)
	}
}
