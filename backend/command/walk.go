package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/shell"
)

// walk reads a text for a shell.
func (r *reader) walk(at place, text string, around call) {
	start, end := at.at(0, len(text))
	unknown := func(why string) {
		r.doubt(why)
		r.parts = append(r.parts, Part{Opaque: true, Text: text, Span: Span{Start: start, End: end}})
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth || !r.spends(len(text)) {
		r.stops("texts for a shell stand in each other too deep")
		unknown(r.why)
		return
	}
	file, err := shell.Parse(text)
	if much, is := err.(shell.TooMuch); is {
		r.stops(string(much))
	}
	if file == nil {
		unknown(err.Error())
		return
	}
	if err != nil {
		r.doubt(err.Error())
	}
	r.relays = r.relays || namesProxy(text)
	r.sums.Read(text, file)
	r.reckoned()
	if name := steered(text, file); name != "" {
		r.doubt("it sets " + name + ", which steers what programs run")
	}
	outer := r.source
	r.source = text
	around.place = at
	r.stmts(file.Stmts, around)
	r.source = outer
}

func (r *reader) stmts(list []*syntax.Stmt, around call) {
	for _, s := range list {
		r.stmt(s, around)
	}
}

func (r *reader) stmt(s *syntax.Stmt, c call) {
	if len(r.parts) >= maxParts {
		r.stops("it has too many parts")
	}
	if r.cut {
		return
	}
	c = r.redirected(s.Redirs, c)
	if s.Cmd == nil {
		c.begin, c.end = shell.Bounds(r.source, s.Pos(), s.End())
		c.words = []shell.Word{shell.Plain(":")}
		r.argv(c)
	} else if s.Background || s.Coprocess {
		r.apart(true, func() { r.command(s.Cmd, c) })
	} else {
		r.command(s.Cmd, c)
	}
	for _, redirect := range s.Redirs {
		r.inside(redirect, c)
	}
}

func (r *reader) command(cmd syntax.Command, c call) {
	switch n := cmd.(type) {
	case *syntax.LetClause, *syntax.TestClause, *syntax.ArithmCmd:
		r.tested(cmd, c)
		start, end := shell.Bounds(r.source, cmd.Pos(), cmd.End())
		if text := r.source[start:end]; strings.Contains(text, "[$(") || strings.Contains(text, "[`") {
			r.doubt("a shell computes the place in a list")
		}
		r.inside(cmd, c)
		r.silent(cmd, c)
	case *syntax.CallExpr:
		r.simple(n, c)
	case *syntax.DeclClause:
		r.declares(n, c)
	case *syntax.Block:
		r.stmts(n.Stmts, c)
	case *syntax.Subshell:
		r.apart(true, func() { r.stmts(n.Stmts, c) })
	case *syntax.BinaryCmd:
		r.binary(n, c)
	case *syntax.IfClause:
		for ; n != nil; n = n.Else {
			r.stmts(n.Cond, c)
			r.apart(false, func() { r.stmts(n.Then, c) })
		}
	case *syntax.WhileClause:
		r.apart(false, func() { r.stmts(n.Cond, c); r.stmts(n.Do, c) })
	case *syntax.ForClause:
		if list, is := n.Loop.(*syntax.WordIter); is {
			r.remembers(list.Name.Value, list.Items...)
			r.namesBeyond(list.Items, c)
		}
		r.inside(n.Loop, c)
		r.apart(false, func() { r.stmts(n.Do, c) })
	case *syntax.CaseClause:
		r.inside(n.Word, c)
		r.silent(cmd, c)
		for _, item := range n.Items {
			for _, pattern := range item.Patterns {
				r.inside(pattern, c)
			}
			r.apart(false, func() { r.stmts(item.Stmts, c) })
		}
	case *syntax.FuncDecl:
		if n.Name != nil {
			if r.funcs == nil {
				r.funcs = map[string]bool{}
			}
			r.funcs[n.Name.Value] = true
		}
		r.apart(false, func() { r.stmt(n.Body, c) })
	case *syntax.TimeClause:
		if n.Stmt != nil {
			r.stmt(n.Stmt, c)
		}
	case *syntax.CoprocClause:
		r.apart(true, func() { r.stmt(n.Stmt, c) })
	default: // conditions and sums run what is substituted into them
		r.inside(n, c)
	}
}

// silent adds a part for the redirections of a command that runs no program.
func (r *reader) silent(cmd syntax.Command, c call) {
	if len(c.writes)+len(c.inputs)+len(c.files) == 0 && !c.sends {
		return
	}
	c.begin, c.end = shell.Bounds(r.source, cmd.Pos(), cmd.End())
	c.words = []shell.Word{shell.Plain(":")}
	r.argv(c)
}

func (r *reader) binary(n *syntax.BinaryCmd, c call) {
	switch n.Op {
	case syntax.Pipe, syntax.PipeAll:
		first := len(r.parts)
		r.apart(true, func() { r.stmt(n.X, c) })
		second := len(r.parts)
		if c.piped = true; second == first+1 {
			c.input = r.parts[first].printed()
		}
		r.apart(true, func() { r.stmt(n.Y, c) })
		fetched := slices.ContainsFunc(r.parts[first:second], func(p Part) bool { return p.Effects.Has(Fetches) })
		for i := second; fetched && i < len(r.parts); i++ {
			if r.parts[i].Code && r.parts[i].Piped { // curl | sh
				r.parts[i].Effects |= Remote
			}
		}
	case syntax.OrStmt:
		before := r.here
		r.stmt(n.X, c)
		after := r.here
		r.here = before
		if r.stmt(n.Y, c); r.here == before {
			r.here = after
		} else {
			r.here = folder{lost: true}
		}
	default:
		r.stmt(n.X, c)
		r.stmt(n.Y, c)
	}
}

// printed is the text that a part writes to its pipe, where it is in the line.
func (p *Part) printed() *string {
	if p.Program == "cat" && len(p.Words) == 0 {
		return p.fed
	}
	if p.Program != "echo" && (p.Program != "printf" || len(p.Words) != 1) || len(p.Options) > 0 || p.Loose || p.Glob || len(p.Writes) > 0 ||
		slices.ContainsFunc(p.Words, func(w shell.Word) bool { return !w.Literal || strings.Contains(w.Text, `\`) }) {
		return nil
	}
	text := strings.Join(p.Operands, " ")
	return &text
}

// inside reads what is substituted somewhere in a node.
func (r *reader) inside(n syntax.Node, c call) {
	within := call{place: c.place}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if _, text := shell.HereText(n); !text {
				r.apart(true, func() { r.stmts(n.Stmts, within) })
			}
			return false
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P" {
				r.doubt("what a variable holds is computed as a prompt")
			}
		case *syntax.ProcSubst:
			fed := within
			fed.piped = n.Op == syntax.CmdOut
			r.apart(true, func() { r.stmts(n.Stmts, fed) })
			return false
		}
		return true
	})
}

// simple reads a simple command.
func (r *reader) simple(n *syntax.CallExpr, c call) {
	c.begin, c.end = shell.Bounds(r.source, n.Pos(), n.End())
	for _, a := range n.Assigns {
		c.assigns = append(c.assigns, r.assign(a))
		if r.elements(a, c); len(n.Args) == 0 && a.Value != nil {
			r.remembers(a.Name.Value, a.Value)
		}
	}
	c.words = r.words(n.Args)
	if len(c.words) > 0 {
		r.argv(c)
	} else {
		r.sets(c)
	}
	if len(c.assigns) > 0 || slices.ContainsFunc(c.words, func(w shell.Word) bool { return !w.Literal }) {
		r.inside(n, c)
	}
}

func (r *reader) assign(a *syntax.Assign) Assign {
	set := Assign{Name: a.Name.Value, Value: shell.Word{Literal: true, Inside: -1}}
	if a.Value != nil {
		set.Value = shell.ReadWord(r.source, a.Value)
	} else if a.Array != nil {
		start, end := shell.Bounds(r.source, a.Array.Pos(), a.Array.End())
		set.Value = shell.Word{Raw: r.source[start:end], Inside: -1}
	}
	return set
}

// sets reads assignments alone. They are a part where they steer what runs behind them,
// or where a file is written.
func (r *reader) sets(c call) {
	p := r.part(c)
	p.Text = rebuild(c.assigns, nil, c.redirects)
	if p.Code = steers(c.assigns); p.Code && !r.plain {
		p.lookInside(r)
	}
	if p.Code || len(c.writes) > 0 {
		r.add(p)
	}
}

// declares reads export and the like.
func (r *reader) declares(n *syntax.DeclClause, c call) {
	c.begin, c.end = shell.Bounds(r.source, n.Pos(), n.End())
	c.words = []shell.Word{shell.Plain(n.Variant.Value)}
	for _, a := range n.Args {
		start, end := shell.Bounds(r.source, a.Pos(), a.End())
		w := shell.Word{Raw: r.source[start:end], Start: start, End: end, Inside: -1}
		r.elements(a, c)
		switch {
		case a.Naked && a.Value != nil:
			for _, w := range r.word(nil, a.Value) {
				if name, value, is := strings.Cut(w.Text, "="); is {
					c.assigns = append(c.assigns, Assign{name, shell.Plain(value)})
				}
				c.words = append(c.words, w)
			}
			continue
		case a.Name != nil && a.Array == nil && a.Index == nil:
			set := r.assign(a)
			if a.Value != nil {
				r.remembers(a.Name.Value, a.Value)
			}
			c.assigns = append(c.assigns, set)
			if w.Literal = set.Value.Literal; w.Literal {
				if w.Text = set.Name; !a.Naked {
					w.Text += "=" + set.Value.Text
				}
			}
		}
		c.words = append(c.words, w)
	}
	steering := steers(c.assigns)
	c.assigns = nil
	r.argv(c)
	if last := len(r.parts) - 1; steering && last >= 0 {
		r.parts[last].Code, r.parts[last].Effects = true, r.parts[last].Effects&^Reads
		if !r.plain {
			r.parts[last].lookInside(r)
		}
	}
	r.inside(n, c)
}

// words reads the words of a simple command, with their brace expansions as bash makes them:
// rm {-rf,x} has three words.
func (r *reader) words(list []*syntax.Word) []shell.Word {
	words := make([]shell.Word, 0, len(list))
	for _, w := range list {
		words = r.word(words, w)
	}
	return words
}

// word adds what a word of the text is to bash. One of which the expansion is not known makes
// the line opaque.
func (r *reader) word(words []shell.Word, w *syntax.Word) []shell.Word {
	before := len(words)
	words, made, known := shell.Expand(words, r.source, w, maxBraces-r.braces)
	if len(words) == before+1 && !words[before].Literal {
		words[before].Likely = shell.Likely(w, r.valueOf)
	}
	if r.braces += made; !known {
		r.doubt("it has braces that shells read in different ways, or that make too many words")
	}
	return words
}

// maxBraces bounds the words that the brace expansions of a line make.
const maxBraces = 256
