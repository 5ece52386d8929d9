package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// A model of one file for each task predicts such files, whose names are the tasks; elsewhere, and on standard input, --task says
// which.
func TestPredictOneTask(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("new", 0o700), os.Mkdir("both", 0o700)); err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{"north.csv": "a,b,y\n1,0,2\n0,1,-1\n1,1,1\n", "south.csv": "a,b,y\n1,0,-3\n0,1,1\n1,1,-2\n",
		"new.csv": "a,b\n1,0\n", "new/south.csv": "a,b\n1,0\n", "0.libsvm": "2 1:1\n-1 2:1\n", "1.libsvm": "-3 1:1\n1 2:1\n",
		"both.csv": "task,a,b,y\nnorth,1,0,2\nsouth,1,0,-3\nnorth,0,1,-1\n"})
	gcgJSON(t, "fit multitask --train north.csv --train south.csv --lambda 0.001 --model m")
	gcgJSON(t, "fit multitask --train 0.libsvm --train 1.libsvm --lambda 0.001 --model s")
	gcgJSON(t, "fit multitask --train both.csv --task task --lambda 0.001 --model b")
	write(t, map[string]string{"1.csv": "a,b,y\n1,0,2\n0,1,-1\n1,1,1\n", "2.csv": "a,b,y\n1,0,-3\n0,1,1\n1,1,-2\n",
		"s.mtx": "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n",
		"n.csv": "1,1,0,2\n2,1,0,-3\n1,0,1,-1\n", "wide.csv": "a,b,c,y\n1,0,0,2\n", "narrow.csv": "a,y\n1,0\n",
		"both/north.csv": "north a b y\nsouth 1 0 2\n", "both/south.csv": "\ufeff\"task\"|a|\"b\"\nsouth|1|0\n"})
	gcgJSON(t, "fit multitask --train 1.csv --train 2.csv --lambda 0.001 --model n")
	stdin(t, "new.csv")
	for args, want := range map[string]string{
		"--model m --data north.csv":                   "task,prediction\nnorth,1.9",
		"--model m --data south.csv":                   "task,prediction\nsouth,-2.9",
		"--model m --data new/south.csv":               "task,prediction\nsouth,-2.9",
		"--model m --data new.csv --task south":        "task,prediction\nsouth,-2.9",
		"--model m --data - --task north":              "task,prediction\nnorth,1.9",
		"--model m --data both.csv":                    "task,prediction\nnorth,1.9",
		"--model s --data 1.libsvm":                    "task,prediction\n1,-2.9",
		"--model s --data 1.libsvm --task 0":           "task,prediction\n0,1.9",
		"--model b --data north.csv --task south":      "task,prediction\nsouth,-2.9",
		"--model m --data both/north.csv --task north": "task,prediction\nsouth,-2.9",
		"--model m --data both/south.csv":              "task,prediction\nsouth,-2.9",
		"--model n --data new.csv --task 1":            "task,prediction\n1,1.9",
		"--model m --data s.mtx --task north":          "task,prediction\nnorth,1.9",
	} {
		out, errs, code := command(t, append([]string{"predict"}, strings.Fields(args)...)...)
		if code != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("predict %s: exit %d, %q, %q; want %q", args, code, out, errs, want)
		}
	}
	// of three features, the first of which one never uses
	write(t, map[string]string{"from0.libsvm": "2 0:1\n-1 1:1\n", "from1.libsvm": "2 1:1\n-1 2:1\n"})
	if r := gcgJSON(t, "fit multitask --train from0.libsvm --train from1.libsvm --lambda 0.001"); r["rows"] != 3.0 {
		t.Errorf("files that count from 0: %v features", r["rows"])
	}
	complains(t, "new.csv", `:1: has no column "task"`, "predict", "--model", "m", "--data", "new.csv")
	complains(t, "new.csv", `:1: has no column "task"; there are "a", "b"; nor is "new" a task of training; where all rows are `+
		`of one, name it with --task: `,
		"predict", "--model", "m", "--data", "new.csv")
	stdin(t, "north.csv")
	complains(t, "standard input", `:1: has no column "task"; there are "a", "b", "y"; where all rows are of one task, name it `+
		`with --task: north, south`,
		"predict", "--model", "m", "--data", "-")
	complains(t, "new.csv", `:1: has no column "up"; there are "a", "b"; nor is "up" a task of training; there are: north, south`,
		"predict", "--model", "m", "--data", "new.csv", "--task", "up")
	complains(t, "new.csv", `: has no column "b"`, "predict", "--model", "m", "--data", "new.csv", "--task", "north",
		"--target", "b")
	complains(t, "narrow.csv", `: has no column "b"`, "predict", "--model", "m", "--data", "narrow.csv", "--task", "north",
		"--target",
		"y")
	complains(t, "wide.csv", `: has no column "z"`, "predict", "--model", "m", "--data", "wide.csv", "--task", "north", "--target",
		"z")
	complains(t, "s.mtx", ": is a sparse matrix, which has no column of targets", "predict", "--model", "m", "--data", "s.mtx",
		"--task", "north", "--target", "1")
	complains(t, "north.csv", `:1: has no column "task"`, "predict", "--model", "b", "--data", "north.csv")
	gcgJSON(t, "fit multitask --train n.csv --task 1 --target 4 --lambda 0.001 --model c")
	stdin(t, "n.csv") // tasks 1 and 2, and column 1, which the model was fitted with
	if out, errs, code := command(t, "predict", "--model", "c", "--data", "-", "--task", "1"); code != 0 ||
		!strings.HasPrefix(out, "task,prediction\n1,") || strings.Count(out, "\n2,") != 1 {
		t.Errorf("predict --data -: exit %d, %q, %q", code, out, errs)
	}
}

// stdin makes a file the standard input.
func stdin(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { os.Stdin = old; f.Close() })
}
