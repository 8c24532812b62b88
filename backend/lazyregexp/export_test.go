package lazyregexp

// Made are all of the program.
func Made() []*Regexp { return made }
