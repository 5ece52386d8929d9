package dataset_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// rowsText is n rows with numbers, a category, a class and a target, in delimited text or in LIBSVM's format.
func rowsText(n int, libsvm bool) string {
	var b strings.Builder
	if !libsvm {
		b.WriteString("a,kind,b,class,y\n")
	}
	for i := range n {
		switch {
		case libsvm:
			fmt.Fprintf(&b, "%d %d:%d %d:0.5\n", i%3, 1+i%5, i+1, 8+i%7)
		case i%10 == 9:
			fmt.Fprintf(&b, "# a comment\n%d,k%d,%g,c%d,%d\n", i, 9-i%7, float64(i)/7, i%3, i*i)
		default:
			fmt.Fprintf(&b, "%d,k%d,%g,c%d,%d\n", i, 9-i%7, float64(i)/7, i%3, i*i)
		}
	}
	return b.String()
}

// Ranks that read rows of features together have between them those that one process reads, with the same names, lines and
// answers, whatever the format.
func TestReadRowsOverRanks(t *testing.T) {
	table, short := written(t, "t.csv", rowsText(300, false)), written(t, "short.csv", rowsText(3, false))
	other := written(t, "other.csv", rowsText(77, false))
	libsvm := written(t, "t.libsvm", rowsText(300, true))
	unnamed := written(t, "u.csv", "\xef\xbb\xbf"+strings.Repeat("1,2.5,3\n4,5,6\n", 40))
	for name, read := range map[string]func(o dataset.RowsReader) (*dataset.Rows, error){
		"target":  func(o dataset.RowsReader) (*dataset.Rows, error) { return o.Read(table, "y,a") },
		"short":   func(o dataset.RowsReader) (*dataset.Rows, error) { return o.Read(short, "y") },
		"unnamed": func(o dataset.RowsReader) (*dataset.Rows, error) { return o.Read(unnamed, "3") },
		"labels":  func(o dataset.RowsReader) (*dataset.Rows, error) { return o.LabelledTable(table, nil, "class") },
		"tasks":   func(o dataset.RowsReader) (*dataset.Rows, error) { return o.TaskTable(table, "class", "y") },
		"task labels": func(o dataset.RowsReader) (*dataset.Rows, error) {
			return o.TaskLabels([]string{table}, "kind", "class")
		},
		"libsvm": func(o dataset.RowsReader) (*dataset.Rows, error) { return o.Read(libsvm, "") },
		"files":  func(o dataset.RowsReader) (*dataset.Rows, error) { return o.TaskFiles([]string{table, other}, "y") },
	} {
		one, err := read(dataset.RowsReader{})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, ranks := range []int{1, 2, 3, 8} {
			err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
				r, err := read(dataset.RowsReader{Ranks: c})
				if err != nil {
					return err
				}
				if err := r.OverRanks(c); err != nil {
					return err
				}
				lo, hi := r.Spread.OwnRows()
				var own []int32
				for i := lo; i < hi; i++ {
					own = append(own, int32(i))
					if r.X.Line(i-lo) != one.X.Line(i) || r.AnswerAt(i) != one.AnswerAt(i) {
						return fmt.Errorf("row %d is of line %d, not %d, or %s", i, r.X.Line(i-lo), one.X.Line(i), r.AnswerAt(i))
					}
				}
				x, want := r.X, one.X.Subset(own)
				if x.Rows != want.Rows || x.Cols != want.Cols || !reflect.DeepEqual(x.Names, want.Names) || r.Len() != one.X.Rows ||
					fmt.Sprint(x.Dense, x.Ptr, x.Index, x.Values, x.Categories) !=
						fmt.Sprint(want.Dense, want.Ptr, want.Index, want.Values, want.Categories) {
					return fmt.Errorf("rows %d to %d are %+v, not %+v", lo, hi, x, want)
				}
				if fmt.Sprint(r.Labels, r.Task, r.Tasks, r.LIBSVM, r.ZeroBased) !=
					fmt.Sprint(one.Labels, one.Task, one.Tasks, one.LIBSVM, one.ZeroBased) {
					return fmt.Errorf("other answers: %v", r)
				}
				if one.Targets != nil && (fmt.Sprint(r.Targets.Dense, r.Targets.Names) != fmt.Sprint(one.Targets.Dense, one.Targets.Names) ||
					r.Targets.Rows != one.Targets.Rows) {
					return errors.New("other targets")
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %d ranks: %v", name, ranks, err)
			}
		}
	}
}

// Errors of rows name the line that one process names, whichever rank met it.
func TestReadRowsOverRanksErrors(t *testing.T) {
	good := rowsText(200, false)
	for _, text := range []string{
		good + "1,k1,many,c1,2\n" + good[strings.Index(good, "\n")+1:],
		good + "1,k1,2\n",
		good + "1,k1,,c1,2\n,k1,3,c2,2\n",
		"a,kind,b,class,y\n",
		strings.Replace(good, "\n", "\n,k1,2,c1,3\n", 1) + "1,k1,,c1,2\n",
	} {
		path := written(t, "t.csv", text)
		_, want := dataset.RowsReader{}.Read(path, "y")
		if want == nil {
			t.Fatal("no error")
		}
		for _, ranks := range []int{1, 2, 4} {
			err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
				if _, err := (dataset.RowsReader{Ranks: c}).Read(path, "y"); err == nil || err.Error() != want.Error() {
					return fmt.Errorf("%v, not %w", err, want)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%d ranks: %v", ranks, err)
			}
		}
	}
	path := written(t, "t.libsvm", rowsText(200, true)+"1 3:4 2:5\n")
	err := cluster.InProcess(3, func(c *cluster.Comm) error {
		_, err := dataset.RowsReader{Ranks: c}.Read(path, "")
		if err == nil || !strings.Contains(err.Error(), "t.libsvm:201: has index 2 after 3") {
			return fmt.Errorf("%w", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
