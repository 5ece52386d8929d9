package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// LooksLIBSVM says whether the first line of a file is «label index:value …». It is false for a file that can be read only once.
func LooksLIBSVM(name string) bool {
	words := strings.Fields(openingLine(name))
	if len(words) < 2 {
		return false
	}
	for _, w := range words[1:] {
		index, value, ok := strings.Cut(w, ":")
		_, err := strconv.Atoi(index)
		if index != "qid" && (!ok || err != nil || !isNumber(value)) {
			return false
		}
	}
	return true
}

// looksDelimited says whether the first line of a file has fields, and none that LIBSVM's format would have.
func looksDelimited(name string) bool {
	line := openingLine(name)
	return strings.ContainsAny(line, ",;\t") && !strings.Contains(line, ":")
}

// LoneLabel reports whether the first line of a file is a single word: in LIBSVM's format a label whose features are all 0.
func LoneLabel(name string) bool {
	line := openingLine(name)
	return line != "" && !strings.ContainsAny(line, ",; \t")
}

func isNumber(s string) bool { _, ok := text.Number(s); return ok }

// ReadOnce reports whether a file can be read only once, as standard input and pipes can, such as a shell's <(…).
func ReadOnce(name string) bool {
	st, err := os.Stat(name)
	return name == "-" || err == nil && !st.Mode().IsRegular()
}

// Reread prepares a file to be read several times. Read it as the name as, with a new standard input from again each time: where
// a file can be read only once, that holds a copy of it.
func Reread(name string) (as string, again func() io.Reader, err error) {
	if !ReadOnce(name) {
		return name, func() io.Reader { return nil }, nil
	}
	src, err := Open(name)
	if err != nil {
		return "", nil, err
	}
	defer src.Close()
	all, err := io.ReadAll(src)
	if err != nil {
		return "", nil, fmt.Errorf("%s: cannot be read: %w", src.Name, err)
	}
	return "-", func() io.Reader { return bytes.NewReader(all) }, nil
}

// openingLine is the first line of a file that says something, without its comment; none of one that can be read only once.
func openingLine(name string) string {
	if ReadOnce(name) {
		return ""
	}
	src, err := Open(name)
	if err != nil {
		return ""
	}
	defer src.Close()
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		text, _, _ := strings.Cut(sc.Text(), "#")
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
