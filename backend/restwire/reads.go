package restwire

import (
	"errors"

	"sekisho/backend/rawjson"
)

// Reads names the members of an object that are read: by a nil all of a member, else
// what is read of the object that it is.
type Reads map[string]Reads

// overlook puts 0 in the place of each member that is not read, with blanks behind it so
// that what is said of the others still names their true place. Keys stay as they are: of
// an object that is read they are all looked at. What is no object is left to others.
func (r Reads) overlook(raw []byte) error {
	members, err := rawjson.Outline(raw)
	if err != nil {
		var e *rawjson.Error
		if errors.As(err, &e) && e.Reason == rawjson.NotObject {
			return nil
		}
		return err
	}
	for _, m := range members {
		below, read := r[m.Key]
		switch {
		case !read:
			copy(m.Value, "0")
			blank(m.Value[1:])
		case below != nil:
			if err := below.overlook(m.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func blank(raw []byte) {
	for i := range raw {
		raw[i] = ' '
	}
}
