package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// redirected adds what redirections do.
func (r *reader) redirected(list []*syntax.Redirect, c call) call {
	c.inputs, c.writes, c.redirects = slices.Clip(c.inputs), slices.Clip(c.writes), slices.Clip(c.redirects)
	c.files = slices.Clip(c.files)
	for _, n := range list {
		file := shell.ReadWord(r.source, n.Word)
		if !file.Literal {
			file.Likely = shell.Likely(n.Word, r.valueOf)
		}
		written := n.Op.String() + " " + file.Written()
		if n.Op == syntax.DplIn || n.Op == syntax.DplOut {
			written = n.Op.String() + file.Written()
		}
		if n.N != nil {
			written = n.N.Value + written
			if name := strings.Trim(n.N.Value, "{}"); name != n.N.Value && programs().steering(name) {
				r.doubt("it sets " + name + ", which steers what programs run")
			}
		}
		input := n.N == nil || n.N.Value == "0" // of the program
		switch n.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			body := shell.HereDoc(n)
			if input {
				c = c.feed(body)
			}
			written = "<<< " + body.Written()
		case syntax.WordHdoc:
			if input {
				c = c.feed(file)
			}
		case syntax.RdrIn:
			if input {
				c.input = nil
			}
			if socket(file) {
				c = c.write(file, n.Word)
				break
			}
			c.loose = c.loose || !file.Literal
			c.inputs = append(c.inputs, file.Text)
			c = c.named(file, false)
		case syntax.DplIn, syntax.DplOut:
			if !copied(file) {
				c = c.write(file, n.Word)
			}
		default:
			c = c.write(file, n.Word)
		}
		c.redirects = append(c.redirects, written)
	}
	return c
}

// feed gives a part its input.
func (c call) feed(body shell.Word) call {
	c.fed, c.input = true, nil
	if body.Literal {
		c.input = &body.Text
	}
	return c
}

// write adds a file that is written, or a connection. Nothing is written to /dev/null, and what goes to
// another process is that one's part.
func (c call) write(file shell.Word, n *syntax.Word) call {
	if len(n.Parts) == 1 {
		if _, process := n.Parts[0].(*syntax.ProcSubst); process {
			return c
		}
	}
	if file.Literal && (file.Text == "/dev/null" || file.Text == "/dev/stdout" || file.Text == "/dev/stderr") {
		return c
	}
	c.sends = c.sends || socket(file)
	c.writes = append(c.writes, file.Text)
	return c.named(file, true)
}

// named adds a file of a redirection, and what it is likely called.
func (c call) named(file shell.Word, written bool) call {
	c.files = append(c.files, File{Text: file.Shown(), Written: written, Span: c.span(file)})
	for text := range strings.FieldsSeq(file.Likely) {
		c.files = append(c.files, File{Text: text, Written: written, Span: c.span(file)})
	}
	return c
}

// socket reports whether bash opens a connection in the place of a file, by which it sends and receives.
func socket(file shell.Word) bool {
	return strings.HasPrefix(file.Known(), "/dev/tcp/") || strings.HasPrefix(file.Known(), "/dev/udp/")
}

// copied reports whether a word names a descriptor, or closes one.
func copied(w shell.Word) bool {
	return w.Literal && w.Text != "" && strings.Trim(strings.TrimSuffix(w.Text, "-"), "0123456789") == ""
}
