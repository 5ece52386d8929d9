package dataset_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// ratingsText is some ratings as lines of a file, with texts and numbers for ids.
func ratingsText(n int, header bool) string {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	var text strings.Builder
	text.WriteString("# some ratings\n")
	if header {
		text.WriteString("user,item,rating\n")
	}
	seen := map[[2]int]bool{}
	for len(seen) < n {
		at := [2]int{rng.IntN(60) * rng.IntN(3), rng.IntN(40)}
		if !seen[at] {
			seen[at] = true
			fmt.Fprintf(&text, "u%d,%d,%d\n", at[0], at[1], 1+rng.IntN(5))
		}
	}
	return text.String()
}

// written is a file of a text in a folder of its own.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var out io.WriteCloser = f
	if strings.HasSuffix(name, ".gz") {
		out = gzip.NewWriter(f)
	}
	if _, err := io.WriteString(out, text); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return path
}

// gatherer puts the rows of all ranks together.
type gatherer struct {
	sync.Mutex
	of dataset.Sparse
}

func (g *gatherer) add(s *dataset.Sparse, rows *cluster.Rows) {
	g.Lock()
	defer g.Unlock()
	if g.of.Ptr == nil {
		g.of = dataset.Sparse{M: s.M, N: s.N, Ptr: make([]int64, s.M+1), Cols: make([]int32, 0), Values: make([]float64, 0)}
	}
	lo, hi := rows.OwnRows()
	for i := lo; i < hi; i++ {
		at := g.of.Ptr[i+1] // rows come in the order of ranks or in another: they are inserted
		for r := i + 1; r <= s.M; r++ {
			g.of.Ptr[r] += s.Ptr[i+1] - s.Ptr[i]
		}
		g.of.Cols = slices.Insert(g.of.Cols, int(at), s.Cols[s.Ptr[i]:s.Ptr[i+1]]...)
		g.of.Values = slices.Insert(g.of.Values, int(at), s.Values[s.Ptr[i]:s.Ptr[i+1]]...)
	}
}

// Ranks that read a file together have the ratings, the ids and the checksum that one process reads, whatever the format.
func TestReadOverRanks(t *testing.T) {
	for _, name := range []string{"r.csv", "h.csv", "z.csv.gz", "short.csv"} {
		n := 900
		if name == "short.csv" {
			n = 3
		}
		path := written(t, name, ratingsText(n, name != "r.csv"))
		one, err := dataset.RatingsReader{}.ReadRatings(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := one.Compress(dataset.RefuseDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int{1, 2, 3, 8} {
			all := gatherer{}
			err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
				r, err := dataset.RatingsReader{Ranks: c}.ReadRatings(path)
				if err != nil {
					return err
				}
				if r.Checksum != one.Checksum || r.Columns != one.Columns || r.Name != one.Name || r.Total() != one.Len() ||
					!slices.Equal(r.RowIDs.Texts(), one.RowIDs.Texts()) || !slices.Equal(r.ColIDs.Texts(), one.ColIDs.Texts()) {
					return fmt.Errorf("%s %q %q, %d ratings", r.Checksum, r.Columns, r.Name, r.Total())
				}
				s, err := r.Compress(dataset.RefuseDuplicates)
				if err != nil {
					return err
				}
				narrow, err := dataset.RatingsReader{Ranks: c, Narrow: true}.ReadRatings(path)
				if err != nil {
					return err
				}
				compact, err := narrow.Compact(dataset.RefuseDuplicates)
				if err != nil {
					return err
				}
				if !slices.Equal(compact.Ptr, s.Ptr) {
					return errors.New("in float32 there are others")
				}
				all.add(s, r.Spread)
				return nil
			})
			if err != nil || !reflect.DeepEqual(&all.of, want) {
				t.Errorf("%s, %d ranks: %v", name, ranks, err)
			}
		}
	}
}

// Errors name the line of the file, whichever rank met it, and a duplicate its user and item.
func TestReadOverRanksErrors(t *testing.T) {
	good := ratingsText(500, true)
	lines := strings.Count(good, "\n")
	for _, c := range []struct{ text, want string }{
		{good + "u1,2,many\n" + strings.Repeat("u900,1,1\n", 3), fmt.Sprintf("r.csv:%d:", lines+1)},
		{"u1,2,many,much\n" + good, "r.csv:"},
		{"user,item,rating\n", "r.csv: has no ratings, only a header"},
		{good + "u900,39,1\n" + "u900,39,1\n", `user "u900" and item "39" are already rated`},
	} {
		path := written(t, "r.csv", c.text)
		for _, ranks := range []int{1, 2, 4} {
			err := cluster.InProcess(ranks, func(comm *cluster.Comm) error {
				r, err := dataset.RatingsReader{Ranks: comm}.ReadRatings(path)
				if err == nil {
					_, err = r.Compress(dataset.RefuseDuplicates)
				}
				if err == nil {
					return nil
				}
				if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "line 0") {
					return fmt.Errorf("%w, not %q", err, c.want)
				}
				return errors.New("as it should")
			})
			if err == nil || err.Error() != "as it should" {
				t.Errorf("%d ranks: %v", ranks, err)
			}
		}
	}
}

// Centres, counts and parts of a split are the same to the last bit on any number of ranks, and what one process has but for
// rounding.
func TestCentreOverRanks(t *testing.T) {
	path := written(t, "r.csv", ratingsText(900, true))
	one, err := dataset.RatingsReader{}.ReadRatings(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := one.Compress(dataset.RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []dataset.Centring{dataset.GlobalMean, dataset.RowMeans, dataset.ColumnMeans, dataset.BothMeans, dataset.ShrunkMeans}
	var first []*dataset.Offsets
	var mutex sync.Mutex
	parts := map[string]bool{}
	for _, ranks := range []int{1, 2, 5, 8} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			r, err := dataset.RatingsReader{Ranks: c}.ReadRatings(path)
			if err != nil {
				return err
			}
			s, err := r.Compress(dataset.RefuseDuplicates)
			if err != nil {
				return err
			}
			var all []*dataset.Offsets
			for _, kind := range kinds {
				all = append(all, dataset.Centre(s, kind))
			}
			rows, cols := dataset.Counts(s)
			lo, hi := s.Range()
			in, out, err := dataset.Split{Fraction: 0.8, Seed: 7}.Parts(r)
			if err != nil {
				return err
			}
			text := fmt.Sprint(rows, cols, lo, hi, c.Count(len(in)), c.Count(len(out)))
			mutex.Lock()
			defer mutex.Unlock()
			parts[text] = true
			if first == nil {
				first = all
			}
			if !reflect.DeepEqual(all, first) {
				return errors.New("the centres differ")
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	if len(parts) != 1 {
		t.Errorf("counts, range and parts: %v", parts)
	}
	for k, kind := range kinds {
		want := dataset.Centre(whole, kind)
		for i := range whole.M {
			for j := range whole.N {
				if a, b := first[k].At(i, j), want.At(i, j); a-b > 1e-9 || b-a > 1e-9 {
					t.Fatalf("%v: the centre of %d, %d is %v, of one process %v", kind, i, j, a, b)
				}
			}
		}
	}
}
