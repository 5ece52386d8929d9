package main

import (
	"strings"
	"testing"
)

// A flag from a variable that is not set is no flag that was left out.
func TestEmptyFlags(t *testing.T) {
	ratings(t)
	for _, args := range []string{
		"fit completion --train", "fit completion --train ratings.csv --lambda 2 --test", "fit completion --train ratings.csv " +
			"--valid", "cv completion --train",
		"fit completion --train ratings.csv --lambda 2 --model", "fit completion --train ratings.csv --lambda 2 --resume", "fit completion --generate",
		"fit completion --train ratings.csv --lambda 2 --warm", "fit completion --train ratings.csv --lambda 2 --trace", "path completion --train ratings.csv --plot",
		"fit completion --train ratings.csv --lambda 2 --max-time", "fit completion --train ratings.csv --lambda 2 --checkpoint",
		"fit regression --train", "fit regression --train x.csv --train", "fit classification --features x --labels", "fit multitask --train a --target",
		"predict --model m --data", "predict --model", "predict --model m --data d --output", "recommend --model m --user 1 --seen", "recommend --model m --user",
		"show --model", "polar trace --matrix", "data convert --output x.csv --train", "data generate --output", "report t --output",
	} {
		words := strings.Fields(args)
		out, errs, code := command(t, append(words, "")...)
		if want := "gcg: " + words[len(words)-1] + " is empty: give it a value, or leave it out\n"; code != 2 || out != "" ||
			errs != want {
			t.Errorf("%s \"\": exit %d, %q, %q", args, code, out, errs)
		}
	}
}
