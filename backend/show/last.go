package show

import (
	"bytes"
	"unicode/utf8"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// maxBefore bounds what is shown of an earlier value, in characters.
const maxBefore = 2000

// against holds a call against an earlier one by the members of their inputs. Values
// that differ in their spelling alone (blanks, escapes, the order of keys) are the same.
// It is nil where inputs differ and one is no object: nobody can say by what.
func against(c, last *permission.Call) *permission.LastLook {
	look := &permission.LastLook{CallID: last.ID, Same: c.InputHash == last.InputHash,
		Changed: []permission.Earlier{}, Added: []string{}, Removed: []permission.Earlier{}}
	if last.Decision != nil {
		look.DecidedAt = last.Decision.DecidedAt
	}
	if was, is := folderText(last), folderText(c); was != is {
		look.Cwd = &was
	}
	if look.Same {
		return look
	}
	members, err := rawjson.Members(c.Input)
	earlier, bad := rawjson.Members(last.Input)
	if err != nil || bad != nil {
		return nil
	}
	before := make(map[string][]byte, len(earlier))
	for _, m := range earlier {
		before[m.Key] = m.Value
	}
	now := make(map[string]bool, len(members))
	for _, m := range members {
		now[m.Key] = true
		switch old, was := before[m.Key]; {
		case !was:
			look.Added = append(look.Added, m.Key)
		case !equal(old, m.Value):
			look.Changed = append(look.Changed, shorten(m.Key, old))
		}
	}
	for _, m := range earlier {
		if !now[m.Key] {
			look.Removed = append(look.Removed, shorten(m.Key, m.Value))
		}
	}
	return look
}

// equal reports whether two values are the same JSON.
func equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	a, err := rawjson.Canonical(nil, a)
	if err != nil {
		return false
	}
	b, err = rawjson.Canonical(nil, b)
	return err == nil && bytes.Equal(a, b)
}

func shorten(key string, value []byte) permission.Earlier {
	short := value[:min(len(value), maxBefore*utf8.UTFMax)]
	end := 0
	for n := 0; n < maxBefore && end < len(short); n++ {
		_, size := utf8.DecodeRune(short[end:])
		end += size
	}
	return permission.Earlier{Key: key, Before: string(value[:end]), Cut: end < len(value)}
}

func folderText(c *permission.Call) string {
	if c.Cwd == nil {
		return ""
	}
	return *c.Cwd
}
