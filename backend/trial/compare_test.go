package trial

import (
	"reflect"
	"testing"

	"sekisho/backend/permission"
)

func tools(raw ...string) (all []permission.OfferedTool) {
	for i := 0; i < len(raw); i += 2 {
		all = append(all, permission.OfferedTool{Name: raw[i], Raw: []byte(raw[i+1])})
	}
	return all
}

func TestCompare(t *testing.T) {
	first := tools("a", `{"name":"a","n":1}`, "b", `{"name":"b"}`, "c", `{"name":"c","n":9007199254740993}`,
		"d", `{"name":"d"}`, "d", `{"name":"d","x":1}`)
	for _, c := range []struct {
		second []permission.OfferedTool
		want   Difference
	}{
		{first, Difference{}},
		{tools("d", `{"x":1,"name":"d"}`, "c", `{"n":9007199254740993, "name":"c"}`, "b", `{"name":"b"}`,
			"d", `{"name":"d"}`, "a", `{ "n":1,"name":"a"}`),
			Difference{}},
		{tools("a", `{"name":"a","n":1.0}`, "c", `{"name":"c","n":9007199254740992}`, "d", `{"name":"d"}`, "e", `{"name":"e"}`),
			Difference{Missing: []string{"b"}, Added: []string{"e"}, Changed: []string{"a", "c", "d"}}},
		{nil, Difference{Missing: []string{"a", "b", "c", "d"}}},
	} {
		if got := Compare(first, c.second); !reflect.DeepEqual(got, c.want) || got.None() != reflect.DeepEqual(c.want, Difference{}) {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	odd := tools("o", `{"name":"o","name":"o"}`)
	if got := Compare(odd, odd); !got.None() {
		t.Errorf("a definition with doubled keys: %+v", got)
	}
	other := tools("o", `{"name":"o","name":"p"}`)
	if got := Compare(odd, other); !reflect.DeepEqual(got.Changed, []string{"o"}) {
		t.Errorf("definitions with doubled keys: %+v", got)
	}
}
