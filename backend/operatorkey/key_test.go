package operatorkey

import (
	"strings"
	"testing"
)

// TestAKeyIsPrintedAndRead, and nothing else is taken for one.
func TestAKeyIsPrintedAndRead(t *testing.T) {
	key := New()
	read, isKey, err := Parse(key.Printed())
	if err != nil || !isKey || read.Printed() != key.Printed() || read.Public().String() != key.Public().String() {
		t.Fatalf("%v %v", isKey, err)
	}
	public, err := ParsePublic(key.Public().String())
	if err != nil || !public.Signed("c", "a:1", key.Sign("c", "a:1")) || public.Signed("c", "a:2", key.Sign("c", "a:1")) ||
		public.Signed("d", "a:1", key.Sign("c", "a:1")) || public.Signed("c", "a:1", "") {
		t.Errorf("%v", err)
	}
	if strings.Contains(key.Public().String(), key.Printed()[4:]) {
		t.Error("the public half has the secret in it")
	}
	for text, want := range map[string]bool{"sko_x": false, "": false, "skk_": true, "skk_x": true,
		key.Printed() + "A": true, key.Printed()[:40]: true} {
		if _, isKey, err := Parse(text); isKey != want || (err != nil) != want {
			t.Errorf("%q: %v %v", text, isKey, err)
		}
	}
	for _, bad := range []string{"", key.Printed(), key.Public().String()[4:], key.Public().String() + "A"} {
		if _, err := ParsePublic(bad); err == nil {
			t.Errorf("%q is a public half", bad)
		}
	}
}
