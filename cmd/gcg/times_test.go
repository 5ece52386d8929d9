package main

import (
	"os"
	"strings"
	"testing"
)

// Ratings are written with their times, if they have some; times that are no whole numbers are left out, with a word.
func TestConvertKeepsTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct{ text, want, warning string }{
		"tabs":   {"1\t2\t3\t881250949\n1\t3\t4\t-1\n", "user,item,rating,timestamp\n1,2,3,881250949\n1,3,4,-1\n", ""},
		"colons": {"1::2::3::881250949\n", "user,item,rating,timestamp\n1,2,3,881250949\n", ""},
		"header": {"time,movieId,userId,rating\n7,b,#a,3\n", "user,item,rating,timestamp\n\"#a\",b,3,7\n", ""},
		"quoted": {"userId,movieId,rating,timestamp\n\"a,b\",2,3,7\n", "user,item,rating,timestamp\n\"a,b\",2,3,7\n", ""},
		"none":   {"a,b,3\n", "user,item,rating\na,b,3\n", ""},
		"date": {"a,b,3,17\na,c,3,2005-09-06\nb,b,1,5\n", "user,item,rating\na,b,3\na,c,3\nb,b,1\n",
			"warning: date:2: the time \"2005-09-06\" is no number"},
		"overflow": {"a,b,3,9223372036854775808\n", "user,item,rating\na,b,3\n", "overflow:1: the time"},
		"matrixmarket": {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n02 +1 4\n", "user,item,rating\n1,2,3\n2,1,4\n",
			""},
	} {
		write(t, map[string]string{name: c.text})
		_, errs, code := command(t, "data", "convert", "--train", name, "--output", "out.csv")
		if got, _ := os.ReadFile("out.csv"); code != 0 || string(got) != c.want || !strings.Contains(errs, c.warning) ||
			c.warning == "" && errs != "" {
			t.Errorf("%s: exit %d, %q, wrote %q", name, code, errs, got)
		}
	}
}

// The last rating of a user is that of the latest time, also of a part of a split; without times, of the last line.
func TestSplitLastByTime(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"r": "a,x,1,30\na,y,2,10\na,z,3,20\nb,x,4,1\nb,y,5,2\n",
		"m.mtx": "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 4\n1 2 3\n2 1 1\n2 3 3\n"})
	for args, want := range map[string]string{
		"--train r --parts a,b.csv":     "user,item,rating,timestamp\na,x,1,30\nb,y,5,2\n",
		"--train a --parts c,b.csv":     "user,item,rating,timestamp\na,z,3,20\n",
		"--train m.mtx --parts c,b.csv": "user,item,rating\n1,2,3\n2,3,3\n",
	} {
		if strings.Contains(args, "--train a") {
			command(t, strings.Fields("data split --split-last 1 --train r --parts a,b")...)
		}
		_, errs, code := command(t, strings.Fields("data split --split-last 1 "+args)...)
		if got, _ := os.ReadFile("b.csv"); code != 0 || string(got) != want {
			t.Errorf("%s: exit %d, %s, wrote %q, want %q", args, code, errs, got, want)
		}
	}
}
