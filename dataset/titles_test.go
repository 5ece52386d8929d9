package dataset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every list of titles that people have calls item 2 the same.
func TestTitles(t *testing.T) {
	for name, text := range map[string]string{
		"u.item":     "1|Toy Story (1995)|01-Jan-1995||http|0\n2|Amelie, \"le\" film|x|y\n",
		"movies.dat": "1::Toy Story (1995)::Animation|Children's\n2::Amelie, \"le\" film::Comedy|Drama\n",
		"movies.csv": "\ufeffmovieId,title,genres\r\n1,Toy Story (1995),Animation|Children\r\n" +
			"\r\n2,\"Amelie, \"\"le\"\" film\",Comedy|Drama\r\n",
		"plain.csv":      "1,Toy Story (1995)\n2,Amelie, \"le\" film\n",
		"headed.csv":     "item,title\n1,Toy Story (1995)\n2,Amelie, \"le\" film\n",
		"turned.csv":     "year;name;extra;item_id\n1995;Toy Story;x;1\n2001;\"Amelie, \"\"le\"\" film\";y;2\n",
		"tabs.tsv":       "1\tToy Story | X\tAnimation\n2\t\"Amelie, \"le\" film\"\tComedy\n",
		"any-header.csv": "title,code\nToy Story,1\n\"Amelie, \"\"le\"\" film\",2\n",
	} {
		file := filepath.Join(t.TempDir(), name)
		os.WriteFile(file, []byte(text), 0o600)
		titles, err := ReadTitles(file)
		if err != nil || titles["2"] != `Amelie, "le" film` || !strings.HasPrefix(titles["1"], "Toy Story") ||
			strings.Contains(titles["1"], "Anim") || len(titles) != 2 && name != "plain.csv" {
			t.Errorf("%s: %q, %v", name, titles, err)
		}
	}
}

func FuzzTitles(f *testing.F) {
	for _, s := range []string{"1|a|b\n2|c\n", "1,\"a, b\"\n", "1\ttab\n", "1::x::y\n", "\xff|\xfe\n", "x", "|\n", "\x1f\x8b",
		"\x28\xb5\x2f\xfd"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := os.CreateTemp(dir, "titles")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file.Name())
		file.Write(b)
		file.Close()
		titles, err := ReadTitles(file.Name())
		if err != nil {
			if !strings.HasPrefix(err.Error(), file.Name()+":") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		for id, title := range titles {
			if _, err := json.Marshal(title); err != nil || strings.Contains(id, "\n") {
				t.Errorf("%q has the title %q: %v", id, title, err)
			}
		}
	})
}
