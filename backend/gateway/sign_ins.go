package gateway

import (
	"context"
	"encoding/json"

	"sekisho/backend/permission"
	"sekisho/backend/upstream"
)

// SignWith gives requests to servers over HTTP the tokens of their sign-ins, and keeps
// these out of what is kept and said of the servers. It is called before the gateway serves.
func (g *Gateway) SignWith(s upstream.SignIns) {
	g.dialer.SignWith(s)
	g.desk = veiledDesk{g.desk, s}
}

// knownSecrets are those of a server's sign-in; none where the gateway signs nothing.
func (g *Gateway) knownSecrets(serverID string) []string {
	if d, signs := g.desk.(veiledDesk); signs {
		return d.tokens.Known(serverID)
	}
	return nil
}

// veiledDesk keeps tokens of sign-ins out of the definitions that the desk keeps and shows.
// Agents get them as the server wrote them. A token that is renewed is no change of a tool.
type veiledDesk struct {
	Desk
	tokens upstream.Tokens
}

// Saw hides the tokens of a server in what it says of its tools, in their names too.
func (d veiledDesk) Saw(ctx context.Context, serverID string, offered []permission.OfferedTool) error {
	veil := upstream.NewRedactor(d.tokens.Known(serverID))
	if veil == nil {
		return d.Desk.Saw(ctx, serverID, offered)
	}
	shown := make([]permission.OfferedTool, len(offered))
	for i, o := range offered {
		shown[i] = permission.OfferedTool{Name: veil.Text(o.Name), Raw: json.RawMessage(veil.JSON(string(o.Raw)))}
	}
	return d.Desk.Saw(ctx, serverID, shown)
}
