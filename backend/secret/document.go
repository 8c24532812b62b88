package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"sekisho/backend/rawjson"
)

// format is that of the file.
const format = 1

// errNewer says that the file is of a format that this program does not know.
var errNewer = errors.New("a newer format")

// document is the content of the file.
type document struct {
	Format  int               `json:"format"`
	Secrets map[string]string `json:"secrets"`
}

func encode(all map[string]string) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(document{format, all})
	return out.Bytes(), err
}

// decode reads strictly: half a file, a name that is there twice or a member that
// nobody knows may hide that a secret is lost.
func decode(raw []byte) (map[string]string, error) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, err
	}
	var secrets []byte
	known := false
	for _, m := range members {
		switch m.Key {
		case "format":
			var have int
			if err := json.Unmarshal(m.Value, &have); err != nil || have < 1 {
				return nil, errors.New("its format is no number from 1 on")
			}
			if have > format {
				return nil, fmt.Errorf("%w (format %d, this one knows %d)", errNewer, have, format)
			}
			known = true
		case "secrets":
			secrets = m.Value
		}
	}
	if !known || secrets == nil || len(members) != 2 {
		return nil, errors.New("it has not the members format and secrets")
	}
	return pairs(secrets)
}

// pairs reads an object of strings. An error names no value.
func pairs(raw []byte) (map[string]string, error) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string, len(members))
	for _, m := range members {
		var value *string
		if json.Unmarshal(m.Value, &value) != nil || value == nil {
			return nil, fmt.Errorf("the secret %q is no string", m.Key)
		}
		all[m.Key] = *value
	}
	return all, nil
}
