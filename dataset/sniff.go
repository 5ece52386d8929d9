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

// LooksLIBSVM says whether the first line of a file is «label index:value …». Of one that can be read only once nothing is known.
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

// LoneLabel says whether the first line of a file is a word alone: in LIBSVM's format a label with features that are all 0.
func LoneLabel(name string) bool {
	line := openingLine(name)
	return line != "" && !strings.ContainsAny(line, ",; \t")
}

func isNumber(s string) bool { _, ok := text.Number(s); return ok }

// ReadOnce says that what is read of a file is gone: of standard input, and of pipes, such as a shell's <(…).
func ReadOnce(name string) bool {
	st, err := os.Stat(name)
	return name == "-" || err == nil && !st.Mode().IsRegular()
}

// Reread gives the name of a file and, for each time that it is to be read, a standard input that goes with it: of what can be
// read only once all that it holds.
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
