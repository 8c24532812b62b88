package show

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sekisho/backend/permission"
	"sekisho/backend/shell"
)

// painter gives each byte of a command the kind of piece that it belongs to. Nodes of
// the syntax tree are painted from the outside in, so that inner ones cover outer ones.
// What nobody paints lies between the nodes: blanks, operators and keywords. So the
// pieces are the whole text, whatever the tree says of its positions.
type painter struct {
	text   string
	colour []permission.PieceKind
	inner  []bool // in a substitution or a pattern, where no new line begins
	named  named
	above  map[string]uint // the functions that are declared between no other commands, and where
	same   int             // where the colour ends that pieces are being taken from
}

// between is the colour of bytes that no node has taken.
const between permission.PieceKind = ""

func paint(text string, file *syntax.File) *painter {
	p := &painter{text: text, colour: make([]permission.PieceKind, len(text)), inner: make([]bool, len(text)), above: map[string]uint{}}
	p.named.path = strings.Contains(text, "PATH") // as a name it can stand nearly everywhere
	for _, stmt := range file.Stmts {
		f, is := stmt.Cmd.(*syntax.FuncDecl)
		if !is || f.Name == nil || stmt.Background || stmt.Coprocess {
			continue
		}
		if _, twice := p.above[f.Name.Value]; !twice {
			p.above[f.Name.Value] = f.Pos().Offset()
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		p.node(n)
		return true
	})
	return p
}

func (p *painter) brush(kind permission.PieceKind, from, to syntax.Pos) {
	start, end := shell.Bounds(p.text, from, to)
	for i := start; i < end; i++ {
		p.colour[i] = kind
	}
}

// within takes the line breaks from a stretch.
func (p *painter) within(from, to syntax.Pos) {
	start, end := shell.Bounds(p.text, from, to)
	for i := start; i < end; i++ {
		p.inner[i] = true
	}
}

func (p *painter) cover(kind permission.PieceKind, n syntax.Node) { p.brush(kind, n.Pos(), n.End()) }

// node paints one node; its children come after it.
func (p *painter) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Comment:
		p.cover(permission.PieceComment, n)
	case *syntax.Word:
		if start, end := shell.Bounds(p.text, n.Pos(), n.End()); start < end && p.colour[start] == between {
			p.cover(permission.PieceWord, n)
		}
	case *syntax.SglQuoted, *syntax.DblQuoted:
		if start, end := shell.Bounds(p.text, n.Pos(), n.End()); start < end && p.colour[start] != permission.PieceProgram &&
			p.colour[start] != permission.PieceRedirect {
			p.cover(permission.PieceString, n)
		}
	case *syntax.ParamExp, *syntax.ArithmExp:
		p.cover(permission.PieceSubstitution, n)
		p.within(n.Pos(), n.End())
	case *syntax.CmdSubst:
		p.substitution(n, n.Stmts, n.Last)
	case *syntax.ProcSubst:
		p.substitution(n, n.Stmts, n.Last)
	case *syntax.CallExpr:
		p.call(n)
	case *syntax.DeclClause:
		p.cover(permission.PieceProgram, n.Variant)
		p.program(n.Variant.Value, true, n.Pos())
	case *syntax.Assign:
		p.assign(n)
	case *syntax.Redirect:
		p.redirect(n)
	case *syntax.FuncDecl:
		p.function(n)
	case *syntax.ArithmCmd, *syntax.CStyleLoop:
		p.cover(permission.PieceWord, n)
	case *syntax.LetClause:
		p.brush(permission.PieceWord, n.Exprs[0].Pos(), n.End())
	case *syntax.TestClause:
		p.within(n.Pos(), n.End())
	case *syntax.CaseItem:
		p.within(n.Pos(), n.Patterns[len(n.Patterns)-1].End())
	}
}

// substitution paints what stands around its commands; these are painted as all are.
func (p *painter) substitution(n syntax.Node, stmts []*syntax.Stmt, last []syntax.Comment) {
	p.cover(permission.PieceSubstitution, n)
	p.within(n.Pos(), n.End())
	from, to := n.End(), n.Pos()
	if len(stmts) > 0 {
		from, to = stmts[0].Pos(), stmts[len(stmts)-1].End()
	}
	if len(last) > 0 {
		to = last[len(last)-1].End()
	}
	p.brush(between, from, to)
}

func (p *painter) call(n *syntax.CallExpr) {
	for i, word := range n.Args {
		start, end := shell.Bounds(p.text, word.Pos(), word.End())
		kind := wordKind(p.text[start:end])
		if i == 0 {
			kind = permission.PieceProgram
			value, literal := shell.LiteralText(p.text, word)
			if !literal {
				value = p.text[start:end]
			}
			p.program(value, literal, word.Pos())
			p.setsPath(value, n.Args[1:])
		}
		p.cover(kind, word)
	}
}

func (p *painter) program(word string, literal bool, at syntax.Pos) {
	start, above := p.above[word]
	p.named.programs = append(p.named.programs, program{word, literal, literal && above && at.Offset() >= start})
}

// setsPath notes that a builtin may set PATH: a name that the shell computes, or that is
// written with quotes inside, may be that one.
func (p *painter) setsPath(builtin string, args []*syntax.Word) {
	if !slices.Contains(setting, builtin) {
		return
	}
	for i, word := range args {
		value, literal := shell.LiteralText(p.text, word)
		if builtin == "printf" && i == 0 && literal && !strings.HasPrefix(value, "-v") {
			return // it prints
		}
		p.named.path = p.named.path || !literal || strings.Contains(value, "PATH")
	}
}

func (p *painter) assign(n *syntax.Assign) {
	kind := permission.PieceAssignment
	if n.Naked && n.Value != nil {
		start, end := shell.Bounds(p.text, n.Pos(), n.End())
		kind = wordKind(p.text[start:end])
	}
	p.cover(kind, n)
	p.within(n.Pos(), n.End())
	if n.Value == nil {
		return
	}
	value, literal := shell.LiteralText(p.text, n.Value)
	p.named.path = p.named.path || n.Naked && !literal || strings.Contains(value, "PATH") // of a reference it is the name
}

// redirect paints the operator with its number, and where it leads.
func (p *painter) redirect(n *syntax.Redirect) {
	p.brush(permission.PieceRedirect, n.Pos(), n.Word.Pos())
	kind := permission.PiecePath
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.DplIn, syntax.DplOut:
		kind = permission.PieceRedirect
	case syntax.WordHdoc:
		kind = permission.PieceWord
	}
	p.cover(kind, n.Word)
	p.blanks(n.Pos(), n.Word.Pos())
	if n.Hdoc == nil {
		return
	}
	p.cover(permission.PieceString, n.Hdoc)
	start, end := shell.Bounds(p.text, n.Hdoc.Pos(), n.Hdoc.End())
	last := start + strings.LastIndexByte(p.text[start:end], '\n') + 1
	// the tree counts the word that ends it in
	if word, _ := shell.LiteralText(p.text, n.Word); strings.TrimLeft(p.text[last:end], "\t") == word {
		for i := last; i < end; i++ {
			p.colour[i] = permission.PieceRedirect
		}
	}
}

// blanks takes the paint from white space.
func (p *painter) blanks(from, to syntax.Pos) {
	start, end := shell.Bounds(p.text, from, to)
	for i := start; i < end; i++ {
		if strings.IndexByte(" \t\n", p.text[i]) >= 0 {
			p.colour[i] = between
		}
	}
}

func (p *painter) function(n *syntax.FuncDecl) {
	if n.Name != nil {
		p.cover(permission.PieceWord, n.Name)
		p.named.functions = append(p.named.functions, n.Name.Value)
	}
}

// wordKind goes by how a word is written.
func wordKind(word string) permission.PieceKind {
	switch {
	case len(word) > 1 && word[0] == '-':
		return permission.PieceOption
	case word == "." || word == ".." || strings.HasPrefix(word, "~"), strings.Contains(word, "/") && !strings.Contains(word, "://"):
		return permission.PiecePath
	}
	return permission.PieceWord
}
