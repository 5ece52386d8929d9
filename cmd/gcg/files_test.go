package main

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// An output that cannot be written is refused before anything is read, and before another output of the command is.
func TestOutputsAreTriedFirst(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "9", "--model", "m")
	for _, args := range []string{"predict --model gone --data gone --output", "recommend --model gone --all --output",
		"data convert --train gone --output",
		"data split --train gone --split 0.5 --parts first,", "data generate --rows 5 --cols 5 --ratings 9 --output", "data generate classes-100 --output first --test-output",
		"report gone --output", "fit completion --train gone --model", "fit completion --train gone --trace", "path completion --train gone --plot",
		"fit cur --features gone --lambda 1 --picture", "fit rpca --features gone --l1 1 --lambda 1 --low-rank",
		"fit rpca --features gone --l1 1 --lambda 1 --sparse", "fit recovery --graph gone --l1 1 --lambda 1 --links"} {
		for name, want := range map[string]string{"/nowhere/x.svg": "/nowhere/x.svg: cannot be written: no such file",
			"m/x.svg": "m/x.svg: cannot be written: not a directory"} {
			words := strings.Fields(args)
			if strings.HasSuffix(args, ",") {
				words[len(words)-1] += name
			} else {
				words = append(words, name)
			}
			out, errs, code := command(t, words...)
			if code != 1 || out != "" || !strings.HasPrefix(errs, "gcg: "+want) {
				t.Errorf("%s %s: exit %d, %q, %q", args, name, code, out, errs)
			}
		}
	}
	if _, err := os.Stat("first"); err == nil {
		t.Error("one of two outputs was written")
	}
	write(t, map[string]string{"X": "1,2\n3,4\n", "y": "1\n2\n", "y.svg": ""})
	for args, want := range map[string]string{
		"fit completion --train ratings.csv --lambda 9 --model ratings.csv":        "ratings.csv: is read",
		"fit completion --train ratings.csv --lambda 9 --test t --trace ./t":       "./t: is read",
		"fit completion --train ratings.csv --lambda 9 --model a --trace a":        "a: cannot hold two outputs",
		"fit regression --features X --targets y --lambda 9 --checkpoint y":        "y: is read",
		"fit regression --train X --target 1 --lambda 9 --model X":                 "X: is read",
		"fit regression --train X --target 1 --lambda 9 --gauge group:y --model y": "y: is read",
		"fit regression --train - --target 1 --lambda 9 --gauge l1:-":              "- is standard input",
		"predict --model m --data ratings.csv --output m":                          "m: is read",
		"predict --model m --data ratings.csv --output ratings.csv":                "ratings.csv: is read",
		"predict --model m --data ratings.csv --output o.npy": "o.npy: is no name for what " +
			"is written, which is no array of numpy's; give it another ending",
		"data convert --train ratings.csv --output o.NPZ":                                             "o.NPZ: is no name",
		"recommend --model m --all --seen ratings.csv --output ratings.csv":                           "ratings.csv: is read",
		"data split --train ratings.csv --split 0.5 --parts a,./a":                                    "./a: cannot hold two outputs",
		"data generate classes-100 --output a --test-output a":                                        "a: cannot hold two outputs",
		"data split --train ratings.csv --split 0.5 --parts ratings.csv,b":                            "ratings.csv: is read",
		"data convert --train ratings.csv --output ./ratings.csv":                                     "./ratings.csv: is read",
		"data generate --rows 9 --cols 9 --ratings 9 --output -":                                      `"-": is no file to write`,
		"fit completion --train - --test - --lambda 1":                                                "- is standard input",
		"fit regression --features - --targets - --lambda 1":                                          "- is standard input",
		"predict --model m --data - --labels - --output -":                                            "- is standard input",
		"recommend --model m --ratings - --titles -":                                                  "- is standard input",
		"report y.svg --output y.svg":                                                                 "y.svg: is read",
		"report y.svg":                                                                                "gcg report needs --output",
		"data split --train ratings.csv --split 1.5 --parts a,b":                                      "--split 1.5: a fraction",
		"fit completion --train ratings.csv --constrain 3 --penalty square":                           "--penalty: goes with λ",
		"fit multitask --train X --train y --task t --target y --lambda 1 --normalize mean --model y": "y: is read",
	} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.HasPrefix(errs, "gcg: "+want) {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
	fitJSON(t, "--train", "ratings.csv", "--lambda", "9", "--model", "m", "--warm", "m", "--trace", "/dev/null", "--checkpoint",
		"/dev/null")
	for _, args := range []string{"fit completion --model -", "data convert --train ratings.csv --output -",
		"data split --train ratings.csv --split 0.5 --parts a,-"} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, "/dev/stdout") {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}

// A link to a file that does not exist yet stays, and the file is no other output's.
func TestOutputThroughALink(t *testing.T) {
	ratings(t)
	if err := os.Symlink("made", "link"); err != nil {
		t.Skip(err)
	}
	if _, errs, code := command(t, strings.Fields("fit completion --train ratings.csv --lambda 9 --model link --trace made")...); code != 2 || !strings.Contains(errs,
		"cannot hold two outputs") {
		t.Errorf("exit %d, %s", code, errs)
	}
	fitJSON(t, "--train", "ratings.csv", "--lambda", "9", "--model", "link")
	if to, err := os.Readlink("link"); err != nil || to != "made" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if out, errs, code := command(t, "show", "--model", "made"); code != 0 {
		t.Errorf("exit %d, %s %s", code, out, errs)
	}
}

// The help of a verb has no flag that it refuses.
func TestHelpOfWhatIsTaken(t *testing.T) {
	for verb, refused := range map[string]string{"path regression": "model warm lambda valid-features",
		"cv completion": "lambda constrain test valid float32", "check completion": "model resume"} {
		out, _, code := command(t, strings.Fields("help "+verb)...)
		for _, name := range strings.Fields(refused) {
			if code != 0 || strings.Contains(out, "--"+name+" ") {
				t.Errorf("help %s: exit %d, has --%s", verb, code, name)
			}
		}
	}
}

// Help fits into the width that it is wrapped to, and files that are written stand with the output.
func TestHelpIsWrapped(t *testing.T) {
	for _, verb := range []string{"predict", "recommend", "data generate", "fit regression", "fit multiview"} {
		out, _, _ := command(t, strings.Fields("help "+verb)...)
		_, flags, _ := strings.Cut(out, "Usage:")
		for line := range strings.SplitSeq(flags, "\n") {
			if utf8.RuneCountInString(line) > 120 {
				t.Errorf("help %s: a line of %d columns: %s", verb, utf8.RuneCountInString(line), line)
			}
		}
	}
	out, _, _ := command(t, "help", "fit", "multiview")
	if _, output, _ := strings.Cut(out, "\nOutput:\n"); !strings.Contains(output, "--denoised") {
		t.Error("--denoised does not stand with the output")
	}
}

// A part of the answer that is lost in writing fails the command, after all that could be kept is printed.
func TestLostPartsFail(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no full disk here: ", err)
	}
	t.Chdir(t.TempDir())
	write(t, map[string]string{"D": "1,2,3\n4,5,7\n7,8,8\n9,1,2\n"})
	out, errs, code := command(t, strings.Fields("fit rpca --features D --l1 0.3 --lambda 1 --quiet --sparse /dev/full")...)
	if code != 1 || !strings.Contains(errs, "/dev/full: not written") || !strings.Contains(out, "lower bound") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}
