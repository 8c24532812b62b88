package workstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sekisho/backend/coordination"
	"sekisho/backend/database"
	"sekisho/backend/journal"
	"sekisho/backend/permission"
)

const conversationColumns = "id, project_id, first, second, state, turns, max_turns, last_from, delegate, created_at, updated_at"

func scanConversation(row database.Row) (c coordination.Conversation, err error) {
	err = row.Scan(&c.ID, &c.ProjectID, &c.Participants[0], &c.Participants[1], &c.State, &c.Turns, &c.MaxTurns, &c.LastFrom, &c.Delegate,
		&c.CreatedAt, &c.UpdatedAt)
	return c, err
}

// Conversations gives those that are asked for.
func (s *Store) Conversations(ctx context.Context, f coordination.ConversationFilter) ([]coordination.Conversation, error) {
	var c clauses
	c.add(f.ID != "", "id = ?", f.ID)
	c.add(f.Delegate != "", "delegate <> '' AND delegate = ?", f.Delegate)
	c.add(f.Project != "", "project_id = ?", f.Project)
	if f.With != nil {
		c.add(true, "? IN (first, second)", *f.With)
	}
	c.add(f.Live, "state <> 'ended'")
	list, err := database.List(scanConversation)(s.reader.QueryContext(ctx,
		"SELECT "+conversationColumns+" FROM conversations"+c.where()+" ORDER BY seq", c.args...))
	if err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	return list, nil
}

// AddConversation begins one with its first message.
func (s *Store) AddConversation(ctx context.Context, c coordination.Conversation, first coordination.Message,
	actor string) (_ coordination.Conversation, m coordination.Message, err error) {
	err = s.write(ctx, func(tx *journal.Tx) error {
		before, again, err := sentBefore(tx, &first)
		if err != nil || again {
			m = before
			if err == nil {
				c, err = scanConversation(tx.QueryRow("SELECT "+conversationColumns+" FROM conversations WHERE id = ?", m.ConversationID))
			}
			return err
		}
		_, err = tx.Exec("INSERT INTO conversations ("+conversationColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", c.ID, c.ProjectID,
			c.Participants[0], c.Participants[1], c.State, c.Turns, c.MaxTurns, c.LastFrom, c.Delegate, c.CreatedAt, c.UpdatedAt)
		if err != nil {
			return fmt.Errorf("begin conversation: %w", err)
		}
		if err := tellConversation(tx, "begun", &c, actor); err != nil {
			return err
		}
		m, err = insertMessage(tx, first, actor)
		return err
	})
	return c, m, err
}

// AddMessage adds one to a conversation.
func (s *Store) AddMessage(ctx context.Context, m coordination.Message, in []coordination.ConversationState,
	actor string) (kept coordination.Message, err error) {
	states := make([]any, len(in))
	for i, state := range in {
		states[i] = state
	}
	args := append([]any{m.From, m.From, m.CreatedAt, m.ConversationID, m.From}, states...)
	err = s.write(ctx, func(tx *journal.Tx) error {
		before, again, err := sentBefore(tx, &m)
		if err != nil || again {
			kept = before
			return err
		}
		_, err = scanConversation(tx.QueryRow(`UPDATE conversations SET turns = turns + 1, last_from = ?,
			state = CASE WHEN turns + 1 >= max_turns THEN 'ended' WHEN state = 'pending' AND first <> ? THEN 'active' ELSE state END,
			updated_at = max(updated_at, ?) WHERE id = ? AND ? IN (first, second) AND state IN (`+
			strings.TrimPrefix(strings.Repeat(", ?", len(states)), ", ")+") RETURNING "+conversationColumns, args...))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return coordination.ErrNotActive
		case err != nil:
			return fmt.Errorf("send message: %w", err)
		}
		kept, err = insertMessage(tx, m, actor)
		return err
	})
	return kept, err
}

// sentBefore finds the message that a sender has sent with the same key, which is the same.
func sentBefore(tx *journal.Tx, m *coordination.Message) (before coordination.Message, again bool, err error) {
	if m.Key == "" {
		return before, false, nil
	}
	before, err = scanMessage(tx.QueryRow(selectMessages+" WHERE m.project_id = ? AND m.sender = ? AND m.key = ? AND m.key <> ''",
		m.ProjectID, m.From, m.Key))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return before, false, nil
	case err != nil:
		return before, false, fmt.Errorf("find message: %w", err)
	case before.Text != m.Text || before.To != m.To:
		return before, false, &permission.Error{Code: permission.CodeExists, Message: "another message has this key already"}
	}
	return before, true, nil
}

// insertMessage keeps a message where the bounds of its project let it in.
func insertMessage(tx *journal.Tx, m coordination.Message, actor string) (coordination.Message, error) {
	var kept, lately int
	err := database.One(tx, &kept, "SELECT COUNT(*) FROM messages WHERE project_id = ?", m.ProjectID)
	if err == nil && m.From != coordination.Person {
		err = database.One(tx, &lately, "SELECT COUNT(*) FROM messages WHERE project_id = ? AND sender = ? AND created_at > ?", m.ProjectID, m.From,
			m.CreatedAt.Add(-time.Minute))
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("count messages: %w", err)
	case kept >= coordination.MaxKeptMessages:
		return m, coordination.ErrTooManyMessages
	case lately >= coordination.MaxPerMinute:
		return m, coordination.ErrTooOften
	}
	done, err := tx.Exec(`INSERT INTO messages (id, conversation_id, project_id, sender, receiver, text, key, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, m.ID, m.ConversationID, m.ProjectID, m.From, m.To, m.Text, m.Key, m.CreatedAt)
	if err == nil {
		m.Seq, err = done.LastInsertId()
	}
	if err != nil {
		return m, fmt.Errorf("keep message: %w", err)
	}
	return m, tx.Append(permission.Entry{At: tx.Now(), Kind: permission.ConversationsChanged, Actor: actor,
		Data: permission.Data(map[string]any{"what": "sent", "messageId": m.ID, "conversationId": m.ConversationID, "projectId": m.ProjectID,
			"from": m.From, "to": m.To})}, nil)
}

// EndConversation ends one.
func (s *Store) EndConversation(ctx context.Context, id coordination.ConversationID, at permission.Time,
	actor string) (c coordination.Conversation, err error) {
	err = s.write(ctx, func(tx *journal.Tx) error {
		c, err = scanConversation(tx.QueryRow("UPDATE conversations SET state = 'ended', updated_at = max(updated_at, ?) WHERE id = ?"+
			" AND state <> 'ended' RETURNING "+conversationColumns, at, id))
		if err == nil {
			return tellConversation(tx, "ended", &c, actor)
		}
		if errors.Is(err, sql.ErrNoRows) {
			c, err = scanConversation(tx.QueryRow("SELECT "+conversationColumns+" FROM conversations WHERE id = ?", id))
		}
		if errors.Is(err, sql.ErrNoRows) {
			return permission.NotFound("conversation")
		}
		return err
	})
	return c, err
}

// DeleteConversation forgets one that ended.
func (s *Store) DeleteConversation(ctx context.Context, id coordination.ConversationID, _ permission.Time, actor string) error {
	return s.write(ctx, func(tx *journal.Tx) error {
		c, err := scanConversation(tx.QueryRow("DELETE FROM conversations WHERE id = ? AND state = 'ended' RETURNING "+conversationColumns, id))
		if errors.Is(err, sql.ErrNoRows) {
			return coordination.ErrTurned
		}
		if err == nil {
			_, err = tx.Exec("DELETE FROM messages WHERE conversation_id = ?", id)
		}
		if err != nil {
			return fmt.Errorf("delete conversation: %w", err)
		}
		return tellConversation(tx, "deleted", &c, actor)
	})
}

func tellConversation(tx *journal.Tx, what string, c *coordination.Conversation, actor string) error {
	return tx.Append(permission.Entry{At: tx.Now(), Kind: permission.ConversationsChanged, Actor: actor,
		Data: permission.Data(map[string]any{"what": what, "conversationId": c.ID, "projectId": c.ProjectID, "participants": c.Participants,
			"state": c.State})}, nil)
}

// selectMessages reads messages, with the session that waits for each: that of a conversation
// which its receiver began.
const selectMessages = `SELECT m.id, m.seq, m.conversation_id, m.project_id, m.sender, m.receiver, m.text, m.key, m.created_at,
	COALESCE(m.delivered_at, 0), IIF(c.first = m.receiver, c.delegate, '')
	FROM messages m JOIN conversations c ON c.id = m.conversation_id`

func scanMessage(row database.Row) (m coordination.Message, err error) {
	err = row.Scan(&m.ID, &m.Seq, &m.ConversationID, &m.ProjectID, &m.From, &m.To, &m.Text, &m.Key, &m.CreatedAt, &m.DeliveredAt, &m.Delegate)
	return m, err
}

// Messages gives those of a conversation.
func (s *Store) Messages(ctx context.Context, id coordination.ConversationID) ([]coordination.Message, error) {
	list, err := database.List(scanMessage)(s.reader.QueryContext(ctx, selectMessages+" WHERE m.conversation_id = ? ORDER BY m.seq", id))
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	return list, nil
}

// Undelivered gives the oldest messages that wait for somebody.
func (s *Store) Undelivered(ctx context.Context, project permission.ProjectID, to coordination.Participant,
	after int64, most int) ([]coordination.Message, error) {
	list, err := database.List(scanMessage)(s.reader.QueryContext(ctx, selectMessages+
		" WHERE m.project_id = ? AND m.receiver = ? AND m.delivered_at IS NULL AND m.seq > ? ORDER BY m.seq LIMIT ?", project, to, after, most))
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	return list, nil
}

// Deliver notes that messages were delivered.
func (s *Store) Deliver(ctx context.Context, to coordination.Participant, ids []coordination.MessageID, at permission.Time,
	actor string) error {
	return s.write(ctx, func(tx *journal.Tx) error {
		of := map[coordination.ConversationID][]coordination.MessageID{}
		for _, id := range ids {
			var conversation coordination.ConversationID
			err := tx.QueryRow(`UPDATE messages SET delivered_at = ? WHERE id = ? AND receiver = ? AND delivered_at IS NULL
				RETURNING conversation_id`, at, id, to).Scan(&conversation)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				continue
			case err != nil:
				return fmt.Errorf("deliver message: %w", err)
			}
			of[conversation] = append(of[conversation], id)
		}
		for _, id := range slices.Sorted(maps.Keys(of)) {
			if err := delivered(tx, id, of[id], to, at, actor); err != nil {
				return err
			}
		}
		return nil
	})
}

// delivered makes a pending conversation active whose second participant was given its messages.
func delivered(tx *journal.Tx, id coordination.ConversationID, messages []coordination.MessageID, to coordination.Participant,
	at permission.Time, actor string) error {
	_, err := tx.Exec(`UPDATE conversations SET state = 'active', updated_at = max(updated_at, ?)
		WHERE id = ? AND state = 'pending' AND second = ?`, at, id, to)
	if err != nil {
		return fmt.Errorf("deliver message: %w", err)
	}
	return tx.Append(permission.Entry{At: tx.Now(), Kind: permission.ConversationsChanged, Actor: actor,
		Data: permission.Data(map[string]any{"what": "delivered", "conversationId": id, "messageIds": messages, "to": to})}, nil)
}
