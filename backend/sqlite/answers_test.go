package sqlite

import (
	"context"
	"testing"

	"sekisho/backend/permission"
)

// TestAnswersAreGivenWithSoManyInputs: the newest ones, and no more than there is room
// for; all answers are there.
func TestAnswersAreGivenWithSoManyInputs(t *testing.T) {
	const n = maxAnsweredInputs/maxAnsweredInput + 100
	s := past(t, n)
	err := s.write(context.Background(), func(t *tx) error {
		_, err := t.Exec(`UPDATE calls SET decision = replace(decision, '"by":"rule"', '"by":"person"'), input_hash = seq, input = zeroblob(?)`,
			maxAnsweredInput)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Answers(context.Background(), n)
	if err != nil || len(list) != n {
		t.Fatalf("%d answers, %v", len(list), err)
	}
	bytes, approved, known := 0, 0, false
	for i, a := range list {
		bytes += len(a.Input)
		if a.Answer == permission.AnswerApproved {
			approved++
		}
		if known = known || a.Input != nil; known && a.Input == nil {
			t.Fatalf("answer %d has no input, and one before it has one", i)
		}
	}
	if bytes != maxAnsweredInputs || approved != n || list[0].ToolName != "rare" {
		t.Errorf("%d bytes of inputs, %d approved, the oldest is of %s", bytes, approved, list[0].ToolName)
	}
}
