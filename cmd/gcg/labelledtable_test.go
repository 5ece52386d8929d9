package main

import (
	"strings"
	"testing"
)

// A table with a column of labels is fitted and predicted from, with that column and without it.
func TestLabelledTable(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"table.csv": "p,kind,q\n1,red hat,0\n-1,cap,0\n2,red hat,1\n-2,cap,1\n",
		"rows.csv": "p,q\n3,0\n-3,0\n"})
	if r := gcgJSON(t, "fit classification --train table.csv --target kind --lambda 0.01 --model k"); r["rows"] != 2.0 ||
		r["training"].(map[string]any)["accuracy"] != 1.0 {
		t.Errorf("a table with labels: %v features, %v", r["rows"], r["training"])
	}
	for file, want := range map[string]string{"table.csv": "accuracy 1.0000", "rows.csv": ""} {
		out, errs, code := command(t, "predict", "--model", "k", "--data", file)
		if code != 0 || !strings.HasPrefix(out, "label,cap,red hat\nred hat,") || !strings.Contains(errs, want) {
			t.Errorf("predict %s: %d, %q, %q", file, code, out, errs)
		}
	}
	write(t, map[string]string{"narrow.csv": "p,kind\n1,cap\n", "wide.csv": "p,kind,q,r\n1,cap,2,3\n"})
	for file, want := range map[string]string{"narrow.csv": `: has no column "q"`,
		"wide.csv": `: has a feature "r" that training has not`} {
		complains(t, file, want, "predict", "--model", "k", "--data", file)
	}
}
