package connect

import (
	"errors"
	"slices"

	"sekisho/backend/conftext"
)

// readDocument reads a file as its client does. The error is a *conftext.SyntaxError.
func readDocument(c *Client, src string) (*conftext.Document, error) {
	return conftext.Read(src, c.text)
}

// maxEntries is how many tool servers a file may have: as many as the desk has room for.
const maxEntries = 1000

// entriesOf gives the tool servers in the order of the file, or one more than maxEntries.
func entriesOf(d *conftext.Document, c *Client) (all []conftext.Entry) {
	sections := c.sections
	nested, there := conftext.At(d.Root, c.nested).(map[string]any)
	if there && c.nested != nil && nested["command"] == nil && c.dialect.url(nested) == "" {
		sections = [][]string{c.nested}
	}
	for _, section := range sections {
		for _, path := range expand(d, nil, section) {
			for _, key := range d.Keys(path) {
				if e, ok := d.Entry(append(slices.Clone(path), key)); ok {
					all = append(all, e)
				}
				if len(all) > maxEntries {
					return all
				}
			}
		}
	}
	return all
}

// expand gives the paths that a section's path means: a "*" is any key.
func expand(d *conftext.Document, done, rest []string) [][]string {
	if len(rest) == 0 {
		return [][]string{slices.Clone(done)}
	}
	if rest[0] != "*" {
		return expand(d, append(slices.Clone(done), rest[0]), rest[1:])
	}
	var all [][]string
	for _, key := range d.Keys(done) {
		all = append(all, expand(d, append(slices.Clone(done), key), rest[1:])...)
	}
	return all
}

// asObstacle takes an error of an edit as why the entry is left where it is.
func asObstacle(err error) error {
	var apart *conftext.ApartError
	if errors.As(err, &apart) {
		return &Obstacle{Code: writtenApart, Field: apart.Field}
	}
	return err
}
