package sqlite

import (
	"context"
	"testing"
)

// TestAnswersAreGivenWithSoManyInputs: the newest ones, and no more than there is room
// for; all answers are counted.
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
	if err != nil || len(list) != n+2 { // rare and write_file are there once more
		t.Fatalf("%d answers, %v", len(list), err)
	}
	bytes, approved, gap := 0, 0, false
	for i, a := range list {
		bytes, approved = bytes+len(a.Input), approved+a.Approved
		if gap = gap || a.Input == nil; gap && a.Input != nil {
			t.Fatalf("answer %d has an input, and one before it has none", i)
		}
	}
	if bytes != maxAnsweredInputs || approved != n || list[n+1].ToolName != "rare" {
		t.Errorf("%d bytes of inputs, %d approved, the oldest is of %s", bytes, approved, list[n+1].ToolName)
	}
}
