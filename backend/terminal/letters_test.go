package terminal

import "testing"

// TestATerminalOfOtherLettersIsGivenASCII: some bytes of other letters are orders to it.
func TestATerminalOfOtherLettersIsGivenASCII(t *testing.T) {
	for locale, want := range map[[3]string]string{
		{"", "", ""}:                "“Û” … ¦ ⟦U+202E⟧ 漢",
		{"", "", "de_DE.UTF-8"}:     "“Û” … ¦ ⟦U+202E⟧ 漢",
		{"", "C.utf8", "C"}:         "“Û” … ¦ ⟦U+202E⟧ 漢",
		{"", "", "C"}:               `"[U+00DB]" ... : [U+202E] [U+6F22]`,
		{"", "", "de_DE.ISO8859-1"}: `"[U+00DB]" ... : [U+202E] [U+6F22]`,
		{"POSIX", "", "C.UTF-8"}:    `"[U+00DB]" ... : [U+202E] [U+6F22]`,
	} {
		for i, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
			t.Setenv(name, locale[i])
		}
		if got := Letters("“Û” … ¦ ⟦U+202E⟧ 漢"); got != want {
			t.Errorf("%q: %q, want %q", locale, got, want)
		}
	}
	t.Setenv("LC_ALL", "C")
	if got := folded("| 漢漢漢漢\n", 12); got != "| [U+6F22][U\n  : +6F22][U\n  : +6F22][U\n  : +6F22]\n" {
		t.Errorf("%q", got)
	}
}
