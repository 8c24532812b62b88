package desk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"sekisho/backend/permission"
)

// Servers gives all servers with their secrets: doors mask them.
func (d *Desk) Servers(ctx context.Context) ([]permission.Server, error) {
	return d.store.Servers(ctx)
}

// Server gives one; NotFound when there is none.
func (d *Desk) Server(ctx context.Context, id string) (permission.Server, error) {
	servers, err := d.store.Servers(ctx)
	if err != nil {
		return permission.Server{}, err
	}
	for _, s := range servers {
		if s.ID == id {
			return s, nil
		}
	}
	return permission.Server{}, permission.NotFound("server")
}

// ReplaceServers puts servers in the place of all. A masked value keeps the
// secret that was there under the same server and name.
func (d *Desk) ReplaceServers(ctx context.Context, servers []permission.Server) ([]permission.Server, error) {
	d.edit.Lock()
	defer d.edit.Unlock()
	old, err := d.store.Servers(ctx)
	if err != nil {
		return nil, err
	}
	kept := map[string]permission.Server{}
	for _, s := range old {
		kept[s.ID] = s
	}
	ids := []string{}
	seen := map[string]bool{}
	for i := range servers {
		s := &servers[i]
		if err := s.Valid(); err != nil {
			return nil, serverErr(i, err)
		}
		if seen[s.ID] {
			return nil, permission.Invalid(fmt.Sprintf("servers[%d].id", i), "two servers have this id")
		}
		seen[s.ID] = true
		if err := unmask(s, kept[s.ID]); err != nil {
			return nil, serverErr(i, err)
		}
		ids = append(ids, s.ID)
	}
	entry := permission.Entry{At: now(), Kind: permission.ServersChanged, Actor: permission.ActorPerson, Data: data(map[string]any{"servers": ids})}
	d.pinning.Lock()
	defer d.pinning.Unlock()
	book, tools := (*d.tools.Load()).installed(servers)
	version, err := d.store.ReplaceServers(ctx, servers, tools, entry)
	if err != nil { // what is stored is what starts: it may be either
		return nil, errors.Join(err, d.loadTools(context.WithoutCancel(ctx)))
	}
	d.know(book, version)
	d.opts.Reinstalled(servers)
	return servers, nil
}

// Unmasked gives a server as it would be kept: with the secrets that stand behind its
// masked values.
func (d *Desk) Unmasked(ctx context.Context, s permission.Server) (permission.Server, error) {
	if err := s.Valid(); err != nil {
		return s, err
	}
	kept, err := d.Server(ctx, s.ID)
	if err != nil && !errors.Is(err, permission.NotFound("server")) {
		return s, err
	}
	s.Env, s.Headers = maps.Clone(s.Env), maps.Clone(s.Headers)
	return s, unmask(&s, kept)
}

func unmask(s *permission.Server, kept permission.Server) error {
	if err := reveal("env.", s.Env, kept.Env); err != nil {
		return err
	}
	return reveal("headers.", s.Headers, kept.Headers)
}

// reveal puts the kept secrets in the place of the masks.
func reveal(field string, values, kept map[string]string) error {
	for name, value := range values {
		if value != permission.Mask {
			continue
		}
		secret, ok := kept[name]
		if !ok {
			return permission.Invalid(field+name, "masked, but there is no kept value under this name")
		}
		values[name] = secret
	}
	return nil
}

func serverErr(i int, err error) error {
	var e *permission.Error
	if errors.As(err, &e) {
		return permission.Invalid(fmt.Sprintf("servers[%d].%s", i, e.Field), e.Message)
	}
	return err
}

// CreateAgent makes an agent and its token. The token is not kept, only its
// SHA-256.
func (d *Desk) CreateAgent(ctx context.Context, name string) (agent permission.Agent, token string, err error) {
	if err := agentName(name); err != nil {
		return agent, "", err
	}
	token = NewToken("ska_")
	agent, err = d.addAgent(ctx, name, TokenHash(token))
	return agent, token, err
}

func (d *Desk) addAgent(ctx context.Context, name, tokenHash string) (agent permission.Agent, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return agent, fmt.Errorf("create agent: %w", err)
	}
	agent = permission.Agent{ID: permission.AgentID(id.String()), Name: name, CreatedAt: now()}
	return agent, d.store.AddAgent(ctx, agent, tokenHash, permission.Entry{
		At: agent.CreatedAt, Kind: permission.AgentsChanged, Actor: permission.ActorPerson, Data: data(map[string]any{"what": "created", "agentId": agent.ID, "name": name}),
	})
}

// agentName keeps names that can be a file's name on every platform and cannot
// deceive in a dialog's sentence.
func agentName(name string) error {
	if name == "" || len(name) > 64 || strings.TrimSpace(name) != name || strings.Trim(name, ".") == "" {
		return permission.Invalid("name", "a name has 1 to 64 bytes and neither starts nor ends with a blank")
	}
	if strings.EqualFold(name, demoName) {
		return permission.Invalid("name", "this name is the desk's own")
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-", r) {
			return permission.Invalid("name", "a name has letters, digits, blanks, dots, dashes and underscores")
		}
	}
	return nil
}

// NewToken makes a secret of 256 random bits behind a prefix that says what it is.
func NewToken(prefix string) string {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: it ends the program instead
	return prefix + base64.RawURLEncoding.EncodeToString(secret[:])
}

// TokenHash is what is kept of a token. Tokens are random, so one round of
// SHA-256 is enough.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Agents lists them, oldest first.
func (d *Desk) Agents(ctx context.Context) ([]permission.Agent, error) { return d.store.Agents(ctx) }

// DeleteAgent ends an agent: its token is void at once, what it had asked and
// nobody executes yet is declined, and its connections end. Its calls stay.
func (d *Desk) DeleteAgent(ctx context.Context, id permission.AgentID) error {
	at := now()
	decision := permission.Decision{By: permission.ByPerson, Reason: "this agent was removed from the desk", Scope: permission.ScopeOnce, DecidedAt: at}
	err := d.store.DeleteAgent(ctx, id, decision, permission.Entry{At: at, Kind: permission.AgentsChanged, Actor: permission.ActorPerson,
		Data: data(map[string]any{"what": "deleted", "agentId": id})})
	if err == nil {
		d.opts.Dismissed(id)
	}
	return err
}

// Authenticate finds the agent of a token; NotFound when there is none.
func (d *Desk) Authenticate(ctx context.Context, token string) (permission.Agent, error) {
	return d.store.AgentByToken(ctx, TokenHash(token))
}
