package main

import (
	"strings"
	"testing"
)

// Rows of classes as they are generated can be learned from, and dense rows are stored as such.
func TestGeneratedClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	out, errs, code := command(t, "data", "generate", "classes-100", "--features", "20", "--classes", "4", "--per-class", "30",
		"--seed", "7",
		"--output", "train.libsvm", "--test-output", "test.libsvm")
	if code != 0 || !strings.Contains(out, "train.libsvm: 120 rows of 20 features, 4 classes, seed 7\ntest.libsvm: 120 rows") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	out, errs, code = command(t, "fit", "classification", "--train", "train.libsvm", "--test", "test.libsvm", "--lambda", "0.02",
		"--quiet")
	if code != 0 || !strings.Contains(out, "120 rows, 20 features (dense), 4 classes") ||
		!strings.Contains(out, "on 120 observations") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
