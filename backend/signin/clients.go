package signin

import "sekisho/backend/permission"

// clientFor is the client of a sign-in that begins: what the person says, or else what is
// kept; nil where the desk registers itself. One with an empty ID forgets what is kept.
func (b *Book) clientFor(server permission.Server, said *permission.SignInClient) (*client, error) {
	b.mu.Lock()
	kept := b.clients[server.ID]
	b.mu.Unlock()
	if kept != nil && kept.Server != server.URL {
		kept = nil
	}
	if said == nil {
		return kept, nil
	}
	if said.ID == "" {
		b.mu.Lock()
		forgotten := b.forgetClient(server.ID)
		b.mu.Unlock()
		return nil, <-forgotten
	}
	if err := validClient(said); err != nil {
		return nil, err
	}
	next := &client{Server: server.URL, ID: said.ID, Secret: said.Secret, Scopes: union(said.Scopes), Port: said.CallbackPort}
	if said.Secret == permission.Mask {
		if kept == nil || kept.Secret == "" || kept.ID != said.ID {
			return nil, permission.Invalid("client.secret", permission.FieldMaskedUnknown, "masked, but there is no kept secret of this client")
		}
		next.Secret, next.Issuer = kept.Secret, kept.Issuer
	}
	return next, nil
}

// keepClient keeps the client that a person entered; where it cannot be written, the one
// before. The caller holds the lock.
func (b *Book) keepClient(id string, c *client) <-chan error {
	before := b.clients[id]
	b.clients[id] = c
	return b.disk.write(func() error {
		err := b.store(clientPrefix+id, c)
		if err != nil {
			b.changeClient(id, c, before)
		}
		return err
	})
}

// forgetClient forgets the client that is kept of a server, unless that cannot be written.
// The caller holds the lock.
func (b *Book) forgetClient(id string) <-chan error {
	c := b.clients[id]
	if c == nil {
		return nothing()
	}
	delete(b.clients, id)
	return b.disk.write(func() error {
		err := b.secrets.ChangeSecrets(nil, []string{clientPrefix + id})
		if err != nil {
			b.changeClient(id, nil, c)
		}
		return err
	})
}

// changeClient puts a client, nil being none, in the place of another one, if that is there.
func (b *Book) changeClient(id string, from, to *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.clients[id] != from:
	case to == nil:
		delete(b.clients, id)
	default:
		b.clients[id] = to
	}
}
