package gateway

import (
	"context"
	"encoding/json"
	"strings"

	"sekisho/backend/permission"
	"sekisho/backend/rawjson"
)

// tell brings a server's tools/list answer to the desk.
func (g *Gateway) tell(serverID string, offered []permission.OfferedTool) {
	if err := g.desk.Saw(context.Background(), serverID, offered); err != nil {
		g.opts.Logger.Error("keep what a server says of its tools", "server", serverID, "error", err)
	}
}

// offeredIn gives the entries of a tools/list result by every name that a client could
// read in them: keys that are written twice, or in another case, are read differently.
// What has no name that is a string cannot be called.
func offeredIn(result []byte) (offered []permission.OfferedTool) {
	for _, list := range named(result, "tools") {
		var entries []json.RawMessage
		if json.Unmarshal(list, &entries) != nil {
			continue
		}
		for _, entry := range entries {
			seen := map[string]bool{}
			for _, raw := range named(entry, "name") {
				var name string
				if json.Unmarshal(raw, &name) == nil && !seen[name] {
					seen[name] = true
					offered = append(offered, permission.OfferedTool{Name: name, Raw: entry})
				}
			}
		}
	}
	return offered
}

// named gives the values of an object's members of a name, in any case.
func named(object []byte, name string) (values []json.RawMessage) {
	members, err := rawjson.Skim(object)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if strings.EqualFold(m.Key, name) {
			values = append(values, m.Value)
		}
	}
	return values
}
