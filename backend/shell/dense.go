package shell

import "strings"

// tokens counts about how many words and operators the parser would find in a text. What
// stands in quotes, comments and here-documents counts by what is computed in it alone. It
// may be wrong about odd texts, which costs time or makes them opaque.
func tokens(text string) (n int) {
	var here []string // the ends of here-documents that begin behind the line
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
		case '\'', '"':
			end := quoted(text[i:])
			n += 1 + computedIn(text[i:i+end])
			i += end - 1
		case '#':
			if i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0 {
				i += lineEnd(text[i:]) - 1
			}
		case ' ', '\t', ';', '|', '&', '(', ')', '>', '$', '`', '{', '}':
			n++
		case '<':
			if n++; strings.HasPrefix(text[i:], "<<") && !strings.HasPrefix(text[i:], "<<<") {
				i += 2
				end, size := delimiter(text[i:])
				here = append(here, end)
				i += size - 1
			} else {
				i += len(text[i:]) - len(strings.TrimLeft(text[i:], "<")) - 1
			}
		case '\n':
			n++
			for _, end := range here {
				body := hereBody(text[i+1:], end)
				n += computedIn(text[i+1 : i+1+body])
				i += body
			}
			here = nil
		}
	}
	return n
}

// quoted is the length of what a text begins with in quotes.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\\' && text[0] == '"':
			i++
		}
	}
	return len(text)
}

// computedIn counts what a shell may compute in a quoted text.
func computedIn(text string) int {
	if text != "" && text[0] == '\'' {
		return 0
	}
	return strings.Count(text, "$") + strings.Count(text, "`")
}

func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// delimiter is the end of a here-document as it stands behind <<.
func delimiter(text string) (end string, size int) {
	rest := strings.TrimLeft(strings.TrimPrefix(text, "-"), " \t")
	word := rest
	if at := strings.IndexAny(rest, " \t\n;|&<>()"); at >= 0 {
		word = rest[:at]
	}
	return unquoted.Replace(word), len(text) - len(rest) + len(word)
}

// hereBody is the length of a here-document with its end.
func hereBody(text, end string) int {
	size := 0
	for line := range strings.Lines(text) {
		size += len(line)
		if strings.Trim(line, "\t\n") == end {
			break
		}
	}
	return size
}
