package dataset

import "testing"

func TestGeneratorHasNoDuplicates(t *testing.T) {
	g := Shapes[0]
	g.Rows, g.Cols, g.N = 30, 25, 370
	r, err := g.Ratings()
	if err != nil || len(r.Values) != 370 {
		t.Fatalf("%d ratings, %v", len(r.Values), err)
	}
	if _, err := r.Compress(RefuseDuplicates); err != nil {
		t.Error(err)
	}
}
