package task_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/seed-b18ef778/gcg/task"
)

// Scores of thousands of classes are short in JSON, and say what was confused most; those of few have the whole table.
func TestBriefScores(t *testing.T) {
	of := func(k int) *task.ClassScores {
		s := &task.ClassScores{Classes: make([]string, k), Confusion: make([][]int, k)}
		for c := range k {
			s.Classes[c], s.Confusion[c] = strconv.Itoa(c), make([]int, k)
			s.Confusion[c][(c+1)%k] = c
		}
		return s
	}
	many := of(3000)
	b, err := json.Marshal(many.Brief())
	if err != nil || len(b) > 100_000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if top := many.Brief().MostConfused; top[0].True != "2999" || top[0].Predicted != "0" || many.Confusion == nil {
		t.Errorf("%+v", top[0])
	}
	if few := of(100); few.Brief() != few {
		t.Error("the table of 100 classes is not whole")
	}
}
