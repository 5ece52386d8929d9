package main

import (
	"os"
	"strings"
	"testing"
)

// A model of one file for each task predicts such files, whose names are the tasks; elsewhere, and on standard input, --task says which.
func TestPredictOneTask(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("new", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{"north.csv": "a,b,y\n1,0,2\n0,1,-1\n1,1,1\n", "south.csv": "a,b,y\n1,0,-3\n0,1,1\n1,1,-2\n",
		"new.csv": "a,b\n1,0\n", "new/south.csv": "a,b\n1,0\n", "0.libsvm": "2 1:1\n-1 2:1\n", "1.libsvm": "-3 1:1\n1 2:1\n",
		"both.csv": "task,a,b,y\nnorth,1,0,2\nsouth,1,0,-3\nnorth,0,1,-1\n"})
	gcgJSON(t, "fit multitask --train north.csv --train south.csv --lambda 0.001 --model m")
	gcgJSON(t, "fit multitask --train 0.libsvm --train 1.libsvm --lambda 0.001 --model s")
	gcgJSON(t, "fit multitask --train both.csv --task task --lambda 0.001 --model b")
	stdin(t, "new.csv")
	for args, want := range map[string]string{
		"--model m --data north.csv":              "task,prediction\nnorth,1.9",
		"--model m --data south.csv":              "task,prediction\nsouth,-2.9",
		"--model m --data new/south.csv":          "task,prediction\nsouth,-2.9",
		"--model m --data new.csv --task south":   "task,prediction\nsouth,-2.9",
		"--model m --data - --task north":         "task,prediction\nnorth,1.9",
		"--model m --data both.csv":               "task,prediction\nnorth,1.9",
		"--model s --data 1.libsvm":               "task,prediction\n1,-2.9",
		"--model s --data 1.libsvm --task 0":      "task,prediction\n0,1.9",
		"--model b --data north.csv --task south": "task,prediction\nsouth,-2.9",
	} {
		out, errs, code := command(t, append([]string{"predict"}, strings.Fields(args)...)...)
		if code != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("predict %s: exit %d, %q, %q; want %q", args, code, out, errs, want)
		}
	}
	complains(t, "new.csv", `:1: has no column "task"`, "predict", "--model", "m", "--data", "new.csv")
	complains(t, "north.csv", `:1: has no column "task"`, "predict", "--model", "b", "--data", "north.csv")
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
