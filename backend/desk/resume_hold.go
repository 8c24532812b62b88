package desk

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// work is what may still be spent; below zero nothing that was found counts.
type work int

// spend takes steps and what going over some bytes takes.
func (w *work) spend(steps, bytes int) { *w -= work(steps + bytes/16) }

// form appends the one form that equal values have.
func (w *work) form(dst []byte, v any) []byte {
	w.spend(3, 0)
	switch v := v.(type) {
	case string:
		w.spend(0, len(v))
		return append(append(strconv.AppendInt(dst, int64(len(v)), 10), '"'), v...)
	case decimal:
		return fmt.Appendf(dst, "%t%se%d", v.negative, v.digits, v.exponent)
	case []any, *object:
		dst = append(dst, kindOf(v)...)
		for i, child := range children(v) {
			if *w < 0 {
				break
			}
			if o, ok := v.(*object); ok {
				dst = w.form(dst, o.names[i])
			}
			dst = append(w.form(append(dst, ','), child), ';')
		}
		return append(dst, '.')
	}
	return fmt.Append(dst, v) // null or a boolean
}

// A frame is one schema held against one value.
type frame struct {
	*work
	schema *schema
	seen   []bool // which members or items a clause has spoken of
}

var errTooMuchWork = errors.New("to judge it takes more work than the desk spends on it")

// satisfies says what of the schema data violates.
func satisfies(data any, s *schema) error {
	left := work(maxWork)
	err := left.hold(s, data, nil)
	if left < 0 {
		return errTooMuchWork
	}
	return err
}

// hold notes in seen, unless nil, what of the value's members or items was spoken of;
// only a schema that holds has spoken.
func (w *work) hold(s *schema, data any, seen []bool) error {
	size := len(children(data))
	if w.spend(4+len(s.clauses), 2*size); *w < 0 {
		return errTooMuchWork
	}
	f := frame{w, s, make([]bool, size)}
	for _, c := range s.clauses {
		if c.hold == nil {
			continue
		}
		if err := c.hold(&f, c.arg, data); err != nil {
			return err
		}
		if *w < 0 {
			return errTooMuchWork
		}
	}
	for i := range seen {
		seen[i] = seen[i] || f.seen[i]
	}
	return nil
}

var errNothing = errors.New("nothing is allowed here")

func holdNever(*frame, any, any) error { return errNothing }

// over makes a clause of one that concerns values of one type only.
func over[A, D any](hold func(f *frame, arg A, data D) error) func(*frame, any, any) error {
	return func(f *frame, arg, data any) error {
		if d, ok := data.(D); ok {
			return hold(f, arg.(A), d)
		}
		return nil
	}
}

func holdType(_ *frame, arg, data any) error {
	for _, t := range arg.([]string) {
		n, isNumber := data.(decimal)
		if t == kindOf(data) || t == "integer" && isNumber && n.whole() {
			return nil
		}
	}
	return why(func() string { return fmt.Sprintf("is %s, not %s", kindOf(data), strings.Join(arg.([]string), " or ")) })
}

var errNone = errors.New("is none of the values that the schema names")

func holdEnum(f *frame, arg, data any) error {
	if arg.(forms)[string(f.form(nil, data))] {
		return nil
	}
	return errNone
}

func ordered(words string, within func(order int) bool) func(*frame, any, any) error {
	return over(func(_ *frame, bound, n decimal) error {
		if within(n.compare(bound)) {
			return nil
		}
		return why(func() string { return fmt.Sprintf("%s %s %s", n, words, bound) })
	})
}

func holdMultiple(f *frame, unit, n decimal) error {
	if f.spend(10, 10*(len(n.digits)+len(unit.digits))); n.multipleOf(unit) {
		return nil
	}
	return why(func() string { return fmt.Sprintf("%s is not a multiple of %s", n, unit) })
}

func charactersIn(f *frame, s string) int {
	f.spend(0, len(s))
	return utf8.RuneCountInString(s)
}

func itemsIn(_ *frame, list []any) int { return len(list) }

func membersIn(_ *frame, o *object) int { return len(o.names) }

func atLeast[D any](measure func(*frame, D) int, what string) func(*frame, any, any) error {
	return over(func(f *frame, bound decimal, data D) error {
		if n := measure(f, data); wholeDecimal(n).compare(bound) < 0 {
			return why(func() string { return fmt.Sprintf("has %d %s, fewer than %s", n, what, bound) })
		}
		return nil
	})
}

func atMost[D any](measure func(*frame, D) int, what string) func(*frame, any, any) error {
	return over(func(f *frame, bound decimal, data D) error {
		if n := measure(f, data); wholeDecimal(n).compare(bound) > 0 {
			return why(func() string { return fmt.Sprintf("has %d %s, more than %s", n, what, bound) })
		}
		return nil
	})
}

func (p matcher) matches(f *frame, s string) bool {
	f.spend(2, (len(s)+1)*p.instructions)
	return *f.work >= 0 && p.MatchString(s)
}

func holdPattern(f *frame, p matcher, s string) error {
	if p.matches(f, s) {
		return nil
	}
	return why(func() string { return "does not match the pattern " + clip(p.String()) })
}

// each holds a schema against one member or item.
func (f *frame) each(s *schema, data any, i int) error {
	f.seen[i] = true
	if err := f.hold(s, children(data)[i], nil); err != nil {
		return below(childName(data, i), err)
	}
	return nil
}

// holdRest holds a schema against all members or items that nobody spoke of yet.
func holdRest[D any](f *frame, s *schema, data D) error {
	for i := range f.seen {
		if f.seen[i] {
			continue
		}
		if err := f.each(s, data, i); err != nil {
			return err
		}
	}
	return nil
}

func holdFirst(f *frame, schemas []*schema, list []any) error {
	for i := range min(len(schemas), len(list)) {
		if err := f.each(schemas[i], list, i); err != nil {
			return err
		}
	}
	return nil
}

func holdItems(f *frame, arg, data any) error {
	if _, ok := arg.(*schema); ok {
		return over(holdRest[[]any])(f, arg, data)
	}
	return over(holdFirst)(f, arg, data)
}

func holdAdditional(f *frame, s *schema, list []any) error {
	if f.schema.arg("items") == nil {
		return nil
	}
	return holdRest(f, s, list)
}

func holdContains(f *frame, s *schema, list []any) error {
	n := 0
	for i, item := range list {
		if f.hold(s, item, nil) == nil {
			f.seen[i] = true
			n++
		}
	}
	least, ok := f.schema.arg("minContains").(decimal)
	if !ok {
		least = wholeDecimal(1)
	}
	most, ok := f.schema.arg("maxContains").(decimal)
	if count := wholeDecimal(n); count.compare(least) < 0 || ok && count.compare(most) > 0 {
		return why(func() string { return fmt.Sprintf("contains %d items of the kind that the schema counts", n) })
	}
	return nil
}

func holdUnique(f *frame, wanted bool, list []any) error {
	if f.spend(6*len(list), 0); !wanted || *f.work < 0 {
		return nil
	}
	seen := make(map[string]bool, len(list))
	for i, item := range list {
		form := string(f.form(nil, item))
		if seen[form] {
			return fmt.Errorf("item %d is there already", i)
		}
		seen[form] = true
	}
	return nil
}

// find is object.find, paid.
func (f *frame) find(o *object, name string) (int, bool) {
	f.spend(2, len(name))
	return o.find(name)
}

func holdProperties(f *frame, all named, o *object) error {
	for i, name := range all.names {
		if at, ok := f.find(o, name); ok {
			if err := f.each(all.args[i].(*schema), o, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func holdPatterned(f *frame, all []patterned, o *object) error {
	for _, p := range all {
		for i, name := range o.names {
			if p.matches(f, name) {
				if err := f.each(p.schema, o, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func holdNames(f *frame, s *schema, o *object) error {
	for _, name := range o.names {
		if err := f.hold(s, name, nil); err != nil {
			return below("names", below(name, err))
		}
	}
	return nil
}

func holdRequired(f *frame, names []string, o *object) error {
	for _, name := range names {
		if _, ok := f.find(o, name); !ok {
			return why(func() string { return fmt.Sprintf("%q is missing", clip(name)) })
		}
	}
	return nil
}

func holdDependents(f *frame, all named, o *object) error {
	for i, name := range all.names {
		if _, ok := f.find(o, name); !ok {
			continue
		}
		var err error
		switch arg := all.args[i].(type) {
		case []string:
			err = holdRequired(f, arg, o)
		case *schema:
			err = f.hold(arg, o, f.seen)
		}
		if err != nil {
			return below("with", below(name, err))
		}
	}
	return nil
}

func holdAll(f *frame, arg, data any) error {
	for _, s := range arg.([]*schema) {
		if err := f.hold(s, data, f.seen); err != nil {
			return err
		}
	}
	return nil
}

// holders counts the schemas of a list that hold. It tries all, for what they saw, and
// shows what it sees to none.
func (f *frame) holders(arg, data any) (n int, last error) {
	for _, s := range arg.([]*schema) {
		if err := f.hold(s, data, f.seen); err != nil {
			last = err
		} else {
			n++
		}
	}
	return n, last
}

func holdAny(f *frame, arg, data any) error {
	if n, last := f.holders(arg, data); n == 0 {
		return below("none of anyOf holds, the last not for", last)
	}
	return nil
}

func holdOne(f *frame, arg, data any) error {
	switch n, last := f.holders(arg, data); n {
	case 0:
		return below("none of oneOf holds, the last not for", last)
	case 1:
		return nil
	default:
		return why(func() string { return fmt.Sprintf("%d of oneOf hold", n) })
	}
}

var errNot = errors.New("is what the schema says that it is not")

func holdNot(f *frame, arg, data any) error {
	if f.hold(arg.(*schema), data, nil) == nil {
		return errNot
	}
	return nil
}

func holdIf(f *frame, arg, data any) error {
	branch := "else"
	if f.hold(arg.(*schema), data, f.seen) == nil {
		branch = "then"
	}
	if s, ok := f.schema.arg(branch).(*schema); ok {
		return f.hold(s, data, f.seen)
	}
	return nil
}
