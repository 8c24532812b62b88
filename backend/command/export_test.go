package command

// ReadParsed is Read by the parser, whatever the text.
func ReadParsed(text string) Line {
	r := &reader{nesting: eachOther{}}
	r.text(place{}, text, call{})
	return r.line(text)
}
