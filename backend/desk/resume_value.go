package desk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// An object is one of JSON, its members in the order of their names.
type object struct {
	names  []string
	values []any
}

func (o *object) find(name string) (int, bool) { return slices.BinarySearch(o.names, name) }

// null is that of JSON: nothing that was read is nil.
type null struct{}

func children(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case *object:
		return v.values
	}
	return nil
}

func childName(v any, i int) string {
	if o, ok := v.(*object); ok {
		return o.names[i]
	}
	return strconv.Itoa(i)
}

func kindOf(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case decimal:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case *object:
		return "object"
	}
	return "null"
}

// A why is a complaint in words, which are made when somebody reads them: most are of
// one way among several, and forgotten.
type why func() string

func (w why) Error() string { return w() }

// A complaint is of something below what is complained of.
type complaint struct {
	where string
	what  error
}

func (c *complaint) Error() string { return clip(c.where) + ": " + c.what.Error() }

func below(where string, what error) error { return &complaint{where, what} }

func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// readJSON reads a document that rawjson.Check took.
func readJSON(raw []byte) (any, error) {
	from := json.NewDecoder(bytes.NewReader(raw))
	from.UseNumber()
	var v any
	if err := from.Decode(&v); err != nil {
		return nil, fmt.Errorf("not readable: %w", err)
	}
	return exactly(v)
}

// exactly puts exact numbers and ordered objects in place of what encoding/json gives.
func exactly(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return null{}, nil
	case json.Number:
		n, err := parseDecimal(v.String())
		return n, err
	case []any:
		return readEach(v, strconv.Itoa, exactly)
	case map[string]any:
		o := &object{names: slices.Sorted(maps.Keys(v)), values: make([]any, 0, len(v))}
		for _, name := range o.names {
			value, err := exactly(v[name])
			if err != nil {
				return nil, below(name, err)
			}
			o.values = append(o.values, value)
		}
		return o, nil
	}
	return v, nil
}

// A decimal is a number as it was written: its digits without zeros around them, times
// ten to the exponent. Equal numbers are equal but for text.
type decimal struct {
	text     string
	negative bool
	digits   string // "" is zero
	exponent int
}

// parseDecimal reads a number of JSON.
func parseDecimal(text string) (decimal, error) {
	if len(text) > maxDigits {
		return decimal{}, fmt.Errorf("a number of more than %d characters", maxDigits)
	}
	d := decimal{text: text}
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	if scaled {
		n, err := strconv.Atoi(exponent)
		if err != nil || max(n, -n) > maxExponent {
			return decimal{}, fmt.Errorf("the number %s has an exponent beyond %d", clip(text), maxExponent)
		}
		d.exponent = n
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits) - len(fraction)
	if d.digits == "" {
		d.negative, d.exponent = false, 0
	}
	return d, nil
}

func wholeDecimal(n int) decimal {
	d, _ := parseDecimal(strconv.Itoa(n))
	return d
}

func (d decimal) String() string { return clip(d.text) }

func (d decimal) whole() bool { return d.exponent >= 0 }

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) compare(o decimal) int {
	if order := cmp.Compare(d.sign(), o.sign()); order != 0 || d.sign() == 0 {
		return order
	}
	return d.sign() * cmp.Or(cmp.Compare(len(d.digits)+d.exponent, len(o.digits)+o.exponent), strings.Compare(d.digits, o.digits))
}

// multipleOf divides by a number above zero, without ever writing an exponent out: what
// has no zero at its end is no multiple of ten.
func (d decimal) multipleOf(unit decimal) bool {
	scale := d.exponent - unit.exponent
	if scale < 0 || d.sign() == 0 {
		return d.sign() == 0
	}
	n, _ := new(big.Int).SetString(d.digits, 10)
	m, _ := new(big.Int).SetString(unit.digits, 10)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), m)
	return n.Mul(n, ten).Mod(n, m).Sign() == 0
}
