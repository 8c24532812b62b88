package coordination

import (
	"context"
	"net/http"

	"sekisho/backend/permission"
	"sekisho/backend/restwire"
)

func (h rows) addConversations(a *restwire.API) {
	restwire.Register(a, restwire.Row{Route: "GET /v1/projects/{id}/conversations", ID: "listConversations", Who: restwire.Operators,
		Summary: "List the conversations of a project, the oldest first"}, h.conversations)
	restwire.Register(a, restwire.Row{Route: "POST /v1/projects/{id}/conversations", ID: "beginConversation", Who: restwire.Operators,
		Status: http.StatusCreated, Summary: "Begin a conversation with an agent of a project",
		About: "A project keeps at most 10,000 messages: too_many. Deleting conversations that ended makes room."}, h.begin)
	restwire.Register(a, restwire.Row{Route: "GET /v1/projects/{id}/conversations/{conversationId}", ID: "getConversation",
		Who: restwire.Operators, Summary: "Show a conversation with its messages",
		About: "The desk names the sender of each. What is to the person counts as delivered by it."}, h.conversation)
	restwire.Register(a, restwire.Row{Route: "POST /v1/projects/{id}/conversations/{conversationId}/messages", ID: "sendMessage",
		Who: restwire.Operators, Status: http.StatusCreated, Summary: "Say something in a conversation with an agent",
		About: "In one that the person is in. The conversation ends with its last turn; after it, it is not_active."}, h.send)
	restwire.Register(a, restwire.Row{Route: "POST /v1/projects/{id}/conversations/{conversationId}/end", ID: "endConversation",
		Who: restwire.Operators, Summary: "End a conversation, also one between agents"}, h.end)
	restwire.Register(a, restwire.Row{Route: "DELETE /v1/projects/{id}/conversations/{conversationId}", ID: "deleteConversation",
		Who: restwire.Operators, Status: http.StatusNoContent, Summary: "Delete a conversation that ended, with its messages"}, h.remove)
}

type conversationsOut struct {
	Body struct {
		Conversations []Conversation `json:"conversations" nullable:"false"`
	}
}

func (h rows) conversations(ctx context.Context, in *projectIn) (*conversationsOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	all, err := h.of.Conversations(ctx, permission.ProjectID(in.ID))
	out := &conversationsOut{}
	out.Body.Conversations = all
	return out, err
}

type beginIn struct {
	ID   string `path:"id" maxLength:"256"`
	Body struct {
		AgentID string `json:"agentId" minLength:"1" doc:"a member of the project"`
		Message string `json:"message" minLength:"1" maxLength:"4000"`
		Key     string `json:"key,omitempty" maxLength:"128" doc:"of your own making: sent again with the same one, it is the same message"`
	} `nameHint:"NewConversation"`
}

type conversationOut struct {
	Body struct {
		Conversation Conversation `json:"conversation"`
		Messages     []Message    `json:"messages" nullable:"false"`
	}
}

func (h rows) begin(ctx context.Context, in *beginIn) (*conversationOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	say := Saying{Project: permission.ProjectID(in.ID), From: Person, Text: in.Body.Message, Key: in.Body.Key}
	c, m, err := h.of.Start(ctx, say, permission.AgentID(in.Body.AgentID), "")
	out := &conversationOut{}
	out.Body.Conversation, out.Body.Messages = c, []Message{m}
	return out, err
}

type conversationIn struct {
	ID             string `path:"id" maxLength:"256"`
	ConversationID string `path:"conversationId" maxLength:"256"`
}

func (h rows) conversation(ctx context.Context, in *conversationIn) (*conversationOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	project := permission.ProjectID(in.ID)
	c, messages, err := h.of.Conversation(ctx, project, ConversationID(in.ConversationID))
	if err != nil {
		return nil, err
	}
	var seen []Message
	for _, m := range messages {
		if m.To == Person && m.DeliveredAt.IsZero() {
			seen = append(seen, m)
		}
	}
	if len(seen) > 0 {
		if err := h.of.Deliver(ctx, project, Person, seen); err != nil {
			return nil, err
		}
		if c, messages, err = h.of.Conversation(ctx, project, c.ID); err != nil {
			return nil, err
		}
	}
	out := &conversationOut{}
	out.Body.Conversation, out.Body.Messages = c, messages
	return out, nil
}

type sendIn struct {
	ID             string `path:"id" maxLength:"256"`
	ConversationID string `path:"conversationId" maxLength:"256"`
	Body           struct {
		Message string `json:"message" minLength:"1" maxLength:"4000"`
		Key     string `json:"key,omitempty" maxLength:"128" doc:"of your own making: sent again with the same one, it is the same message"`
	} `nameHint:"NewMessage"`
}

type messageOut struct {
	Body struct {
		Message Message `json:"message"`
	} `nameHint:"SentMessage"`
}

func (h rows) send(ctx context.Context, in *sendIn) (*messageOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	say := Saying{Project: permission.ProjectID(in.ID), From: Person, Text: in.Body.Message, Key: in.Body.Key}
	m, err := h.of.Respond(ctx, say, ConversationID(in.ConversationID), Pending, Active)
	out := &messageOut{}
	out.Body.Message = m
	return out, err
}

type endOut struct {
	Body struct {
		Conversation Conversation `json:"conversation"`
	} `nameHint:"EndedConversation"`
}

func (h rows) end(ctx context.Context, in *conversationIn) (*endOut, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	c, err := h.of.CloseConversation(ctx, permission.ProjectID(in.ID), ConversationID(in.ConversationID))
	out := &endOut{}
	out.Body.Conversation = c
	return out, err
}

func (h rows) remove(ctx context.Context, in *conversationIn) (*struct{}, error) {
	if err := h.there(); err != nil {
		return nil, err
	}
	return nil, h.of.DeleteConversation(ctx, permission.ProjectID(in.ID), ConversationID(in.ConversationID))
}
