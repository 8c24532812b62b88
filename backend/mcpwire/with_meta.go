package mcpwire

import (
	"fmt"

	"sekisho/backend/rawjson"
)

// MetaFileVersion is the member of _meta by which the desk says to a workspace's tools which version of a
// file a person was shown.
const MetaFileVersion = "sekisho/fileVersion"

// WithMeta is a request with a member of _meta that is the desk's own, in the place of one of that name.
// What is no request stays as it is.
func WithMeta(raw []byte, key, value string) []byte {
	m, bad := FromClient(raw)
	if bad != nil {
		return raw
	}
	params, err := rawjson.Members(m.Params)
	if err != nil {
		return raw
	}
	own := rawjson.Member{Key: key, RawKey: Quote(key), Value: Quote(value)}
	meta, kept := []rawjson.Member{}, []rawjson.Member{}
	for _, p := range params {
		if p.Key != "_meta" {
			kept = append(kept, p)
			continue
		}
		if meta, err = rawjson.Members(p.Value); err != nil {
			return raw
		}
	}
	said := []rawjson.Member{own}
	for _, other := range meta {
		if other.Key != key {
			said = append(said, other)
		}
	}
	kept = append(kept, rawjson.Member{Key: "_meta", RawKey: []byte(`"_meta"`), Value: rawjson.Object(said)})
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, m.ID, Quote(m.Method), rawjson.Object(kept))
}
