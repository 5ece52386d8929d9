package task

import "testing"

// A proof, ratings to measure on, a choice of λ and a higher rank take more; and what is known of a run that was measured is
// predicted.
func TestCompletionMemory(t *testing.T) {
	for _, single := range []bool{false, true} {
		plain := CompletionMemory{Ratings: 1_000_000, Rows: 7694, Cols: 7003, Float32: single}
		proven, held := plain, plain
		proven.Exact, held.Held = true, 1_000_000
		if d := proven.At(64) - plain.At(64); d < 8*7003*7003 {
			t.Errorf("float32 %v: a proof adds %v bytes", single, d)
		}
		if d := held.At(64) - plain.At(64); d < 16e6 {
			t.Errorf("float32 %v: as many ratings to measure on add %v bytes", single, d)
		}
		if plain.At(64) <= plain.At(32) || plain.Least() > plain.At(0) {
			t.Errorf("float32 %v: %v at least, %v at rank 32 and %v at 64", single, plain.Least(), plain.At(32), plain.At(64))
		}
	}
	netflix := CompletionMemory{Ratings: 1_000_000, Rows: 25_733, Cols: 179, Float32: true}
	if at := netflix.At(32); at < 0.19e9 || at > 0.285e9 { // 0.19 were seen
		t.Errorf("a million ratings of Netflix's shape at rank 32: %v", at)
	}
	choosing := CompletionMemory{Ratings: 1_000_000, Rows: 100, Cols: 100_000, Choose: true}
	if once := (CompletionMemory{Ratings: 1_000_000, Rows: 100, Cols: 100_000}); choosing.At(8)-once.At(8) < 50e6 {
		t.Errorf("choosing λ takes %v, and once %v", choosing.At(8), once.At(8))
	}
	lists := CompletionMemory{Ratings: 750_157, Rows: 6040, Cols: 3679, Lists: true} // of MovieLens-1M
	for rank, seen := range map[int]float64{3: 0.096e9, 19: 0.163e9, 67: 0.331e9, 95: 0.334e9, 141: 0.6e9} {
		if at := lists.At(rank); at < seen || at > 2*seen+50e6 {
			t.Errorf("lists at rank %d: %v, and %v were seen", rank, at, seen)
		}
	}
	lists.Choose = true
	if at := lists.At(113); at < 0.618e9 || at > 1e9 {
		t.Errorf("a choice with lists at rank 113: %v, and 0.618e9 were seen", at)
	}
}
