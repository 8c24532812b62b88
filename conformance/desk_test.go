package main

import "testing"

func TestFirstLine(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		whole  bool
	}{
		{"at once", []string{"{\"url\":1}\n"}, true},
		{"in pieces", []string{"{\"url\"", ":1}", "\n"}, true},
		{"more after it", []string{"{\"url\":1}\nmore", "and\nmore\n"}, true},
		{"no end", []string{"{\"url\":1}"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &firstLine{whole: make(chan struct{})}
			for _, chunk := range c.chunks {
				if n, err := l.Write([]byte(chunk)); n != len(chunk) || err != nil {
					t.Fatalf("wrote %d, %v", n, err)
				}
			}
			whole := false
			select {
			case <-l.whole:
				whole = true
			default:
			}
			if whole != c.whole {
				t.Errorf("whole is %t, want %t", whole, c.whole)
			}
			if want := "{\"url\":1}\n"; whole && string(l.text) != want {
				t.Errorf("text is %q, want %q", l.text, want)
			}
		})
	}
}
