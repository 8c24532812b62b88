package command

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"sekisho/backend/lazyregexp"
	"sekisho/backend/shell"
)

// outLong are long options whose value is a file or folder that a program writes.
var outLong = lazyregexp.New(`(?i)^--?(o|out|output|out[-_]?(file|dir|path|name)|output[-_].*|outputdir|dest|destination|` +
	`dest[-_]?dir|save|save[-_].*|dump-header|cookie-jar|log|log-?file|trace|trace-ascii|stderr|libcurl|etag-save|hsts|alt-svc|one-top-level|declarationdir|` +
	`tsbuildinfofile|output-?(file|path)|print-to-pdf|screenshot|write|write-.*|report.*|backup-dir|junit.*|export-.*|fprint0?|fprintf|fls|(cpu|mem|block|mutex|cover)profile|keyout)$`)

// outBegun are those that a program takes for such when they are only begun.
var outBegun = strings.Fields("--output-document --output-file --target-directory --directory-prefix --destination --append-output")

// unknownOut are letters that may name an output of a program without a row, and knownOut is that of others.
const unknownOut, knownOut = "oOtdP", "o"

// outputs are the files that options make a part write, whether the table knows them or not.
func (r *row) outputs(args []shell.Word) (files []File) {
	letters := cmp.Or(r.out, knownOut)
	if r.out == "" && len(r.options) == 0 {
		letters = unknownOut
	}
	last, named := "", false // a hostile line has the same option again and again
	for i, w := range args {
		text := w.Shown()
		if len(text) < 2 || text[0] != '-' {
			continue
		}
		name, value, attached := strings.Cut(text, "=")
		name = strings.Replace(name, "-test.", "-", 1) // as a program of go's tests has it
		if name != last {
			last, named = name, namesOutput(name) || r.writesTo(name)
		}
		if !named {
			at := -1
			if text[1] != '-' && !(len(name) > 2 && r.flags["single"] && r.options[name] != 0) {
				at = r.outLetter(text, letters)
			}
			if at < 0 {
				continue
			}
			name, value = "-"+text[at:at+1], strings.TrimPrefix(text[at+1:], "=")
			attached = at+1 < len(text)
		}
		if !attached && i+1 < len(args) {
			value = args[i+1].Shown()
		}
		if value != "" {
			files = append(files, File{Text: value, Option: name, Changed: true})
		}
		if kind := outKind.FindString(value); kind != "" && !strings.HasPrefix(value[len(kind):], "//") {
			files = append(files, File{Text: value[len(kind):], Option: name, Changed: true})
		}
	}
	return files
}

// outKind is what an output is, where its file stands behind that.
var outKind = lazyregexp.New(`^[A-Za-z][\w-]+[:=]`)

// writesTo reports whether the row has an option, or one that this one begins, among those that name what is written.
func (r *row) writesTo(name string) bool {
	return slices.ContainsFunc(r.writes, func(known string) bool {
		return name == known || len(name) > 3 && strings.HasPrefix(name, "--") && strings.HasPrefix(known, name)
	})
}

// editsFiles reports whether a program changes the files that these options and its operands name.
func (r *row) editsFiles(options []string) bool {
	if !r.flags["edits"] || len(r.edited) == 0 {
		return r.flags["edits"]
	}
	edits, only := false, false
	for _, known := range r.edited {
		name, without := strings.CutPrefix(known, "!")
		given := slices.ContainsFunc(options, func(o string) bool {
			return before(o, "=") == name || len(name) == 2 && isBundle(o) && strings.Contains(before(o, "="), name[1:])
		})
		if without && given {
			return false
		}
		edits, only = edits || given, only || !without
	}
	return edits || !only
}

func namesOutput(name string) bool {
	begun := func(whole string) bool { return strings.HasPrefix(whole, name) }
	return len(name) > 2 && outLong.MatchString(name) || len(name) > 4 && slices.ContainsFunc(outBegun, begun)
}

// outLetter gives the place in a bundle of the letter that names an output, or -1.
func (r *row) outLetter(bundle, letters string) int {
	for i := 1; i < len(bundle); i++ {
		if strings.IndexByte(letters, bundle[i]) >= 0 && (r.out != "" || r.options["-"+bundle[i:i+1]] != bare) {
			return i
		}
		if r.options["-"+bundle[i:i+1]] > bare {
			return -1
		}
	}
	return -1
}

// intoFolder are options that name the folder which outputs are put into.
var intoFolder = strings.Fields("-t --target-directory -P --directory-prefix --output-dir")

// follow are files that a part writes without naming them: copies in a folder, an archive or what comes out of one.
func (r *row) follow(p *Part, written []File, operands []shell.Word) (files []File) {
	if strings.HasSuffix(p.Program, "tar") {
		return unpacked(p.Words)
	}
	if p.Program == "curl" {
		files = printedTo(p.Words)
	}
	folder, named := "", false
	for _, f := range written {
		if slices.ContainsFunc(intoFolder, func(o string) bool { return f.Option == o || len(f.Option) > 4 && strings.HasPrefix(o, f.Option) }) {
			folder = f.Text
		} else {
			named = named || f.Option == "-O" || strings.HasPrefix(f.Option, "--output")
		}
	}
	add := func(folder, file string) {
		files = append(files, File{Text: strings.TrimSuffix(folder, "/") + "/" + path.Base(file), Option: "-", Changed: true})
	}
	switch {
	case r.flags["first"] && len(operands) > 0:
		files = append(files, File{Text: operands[0].Shown(), Changed: true})
	case (p.Program == "wget" || p.Program == "curl" && slices.ContainsFunc(p.Options, remoteName.MatchString)) && !named:
		for _, w := range operands {
			address, _, _ := strings.Cut(strings.TrimRight(w.Shown(), "/"), "?")
			if folder == "" {
				folder = "."
			}
			if address, _, _ = strings.Cut(address, "#"); strings.Count(address, "/") > 0 {
				add(folder, address)
			}
		}
	case r.flags["copies"] && len(operands) > 0:
		last := operands[len(operands)-1].Shown()
		if folder == "" && (strings.HasSuffix(last, "/") || slices.Contains([]string{".", "..", "~"}, last)) {
			folder, operands = last, operands[:len(operands)-1]
		}
		for _, w := range operands {
			if folder != "" {
				add(folder, w.Shown())
			}
		}
	}
	return files
}

// printedTo are the files that words of curl have it print to.
func printedTo(words []shell.Word) (files []File) {
	for _, w := range words {
		for _, rest := range strings.Split(w.Shown(), "%output{")[1:] {
			if file := strings.TrimPrefix(before(rest, "}"), ">>"); file != "" {
				files = append(files, File{Text: file, Option: "-w", Changed: true})
			}
		}
	}
	return files
}

// remoteName is an option by which curl calls a file as its address does.
var remoteName = lazyregexp.New(`^(-[A-Za-z]*O.*|--remote-n.*)$`)

// tarValues are the letters of tar that have a value.
const tarValues = "bCfFgHIKLNTVX"

// unpacked are the archive that tar makes, or the folders and names that it gives to what
// comes out of one.
func unpacked(words []shell.Word) (files []File) {
	creates := false
	set := func(letter byte, value string) {
		switch {
		case letter == 'f' && creates, letter == 'C' && !creates:
			files = append(files, File{Text: value, Option: "-" + string(letter), Changed: true})
		}
	}
	for i, w := range words {
		text := w.Shown()
		creates = creates || strings.HasPrefix(text, "--create") || strings.HasPrefix(text, "--append") || strings.HasPrefix(text, "--update") ||
			(i == 0 || isBundle(text)) && strings.ContainsAny(before(text, "f"), "cru")
	}
	for i, w := range words {
		text := w.Shown()
		name, value, attached := strings.Cut(text, "=")
		if !attached && i+1 < len(words) {
			value = words[i+1].Shown()
		}
		switch {
		case len(name) > 3 && strings.HasPrefix("--file", name):
			set('f', value)
		case len(name) > 3 && strings.HasPrefix("--directory", name):
			set('C', value)
		case strings.HasPrefix(name, "--one-top-level") && attached:
			set('C', value)
		case strings.HasPrefix(name, "--transf") || strings.HasPrefix(name, "--xform"):
			if value = strings.ReplaceAll(value, `\`, ""); len(value) > 1 {
				files = append(files, File{Text: strings.ReplaceAll(value, value[1:2], "/"), Option: name, Changed: true})
			}
		case strings.HasPrefix(text, "--"):
		case isBundle(text):
			if at := strings.IndexAny(text, tarValues); at > 0 && at+1 < len(text) {
				set(text[at], text[at+1:])
			} else if at > 0 && i+1 < len(words) {
				set(text[at], words[i+1].Shown())
			}
		case i == 0: // letters without a dash have their values behind them, in order
			for n, letter := 1, 0; letter < len(text) && n < len(words); letter++ {
				if strings.IndexByte(tarValues, text[letter]) >= 0 {
					set(text[letter], words[n].Shown())
					n++
				}
			}
		}
	}
	return files
}

func before(text, sep string) string {
	text, _, _ = strings.Cut(text, sep)
	return text
}
