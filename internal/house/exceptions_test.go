package house

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An exception is a violation that is known and still owed: its number may not change but by way of the list.
type exception struct {
	rule, key string
	number    int
	why       string // what stands behind #
}

// preamble is what the list of exceptions begins with.
const preamble = `# What breaks the rules of this package today: rule, folder or file and name, number, and behind # why it stays.
# The list only shrinks. go test ./internal/house -update writes it anew after something was mended or moved,
# and refuses where a rule is broken by more than before; -update=all accepts that too.
`

// parseExceptions reads a list; an error names the line. Of two lines with one key, as a merge leaves them, the smaller number
// counts.
func parseExceptions(list []byte) ([]exception, error) {
	var all []exception
	scanner := bufio.NewScanner(bytes.NewReader(list))
	for n := 1; scanner.Scan(); n++ {
		text, why, _ := strings.Cut(scanner.Text(), " #")
		words := strings.Fields(text)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 {
			return nil, fmt.Errorf("exceptions.txt:%d: a rule, a key and a number are wanted: %s", n, text)
		}
		number, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, fmt.Errorf("exceptions.txt:%d: %q is no number", n, words[2])
		}
		e := exception{words[0], words[1], number, strings.TrimSpace(why)}
		if i := slices.IndexFunc(all, func(o exception) bool { return o.rule == e.rule && o.key == e.key }); i >= 0 {
			all[i].number = min(all[i].number, e.number)
			continue
		}
		all = append(all, e)
	}
	return all, scanner.Err()
}

// formatExceptions is the inverse of parseExceptions.
func formatExceptions(all []exception) []byte {
	b := bytes.NewBufferString(preamble)
	for _, e := range all {
		fmt.Fprintf(b, "%s %s %d", e.rule, e.key, e.number)
		if e.why != "" {
			fmt.Fprintf(b, " # %s", e.why)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// judge holds the violations of a rule against the exceptions: what is new or has grown, and which exceptions are not needed any
// more, or for less.
func judge(r rule, violations []finding, exceptions []exception) (problems []string) {
	known := map[string]int{}
	for _, e := range exceptions {
		if e.rule == r.name {
			known[e.key] = e.number
		}
	}
	for _, v := range violations {
		was, ok := known[v.key]
		delete(known, v.key)
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s %s\n\t%s\n%s", r.name, v.key, r.mend, listPlaces(v.at)))
		case v.number > was:
			problems = append(problems, fmt.Sprintf("%s %s: %d, of which %d are excepted\n\t%s\n%s",
				r.name, v.key, v.number, was, r.mend, listPlaces(v.at)))
		case v.number < was:
			problems = append(problems, fmt.Sprintf("%s %s: %d and no longer %d; go test ./internal/house -update writes the list",
				r.name, v.key, v.number, was))
		}
	}
	for _, e := range exceptions {
		if _, left := known[e.key]; left && e.rule == r.name {
			problems = append(problems, fmt.Sprintf("%s %s: mended or moved; go test ./internal/house -update writes the list",
				r.name, e.key))
		}
	}
	return problems
}

// listPlaces lists where something is, at most a dozen.
func listPlaces(at []string) string {
	const most = 12
	more := ""
	if len(at) > most {
		at, more = at[:most], fmt.Sprintf("\n\tand %d more", len(at)-most)
	}
	return "\t" + strings.Join(at, "\n\t") + more
}

// rewrite is the list of exceptions that a tree needs, reasons kept. Unless all is true, a rule by which the tree owes more than
// the list, its limit subtracted from each number, is an error, and its exceptions stay as they are: so a violation may move with
// its file, and none is added.
func rewrite(t *Tree, rules []rule, old []exception, all bool) (list []exception, refused []string) {
	for _, r := range rules {
		var before, after []exception
		why := map[string]string{}
		for _, e := range old {
			if e.rule == r.name {
				before = append(before, e)
				why[e.key] = e.why
			}
		}
		for _, v := range r.violations(t) {
			after = append(after, exception{r.name, v.key, v.number, why[v.key]})
		}
		slices.SortFunc(after, func(a, b exception) int { return strings.Compare(a.key, b.key) })
		if was, is := owed(r, before), owed(r, after); is > was && !all {
			refused = append(refused, fmt.Sprintf("%s: the list owes %d, the tree %d; mend what is new, or say -update=all",
				r.name, was, is))
			after = before
		}
		list = append(list, after...)
	}
	return list, refused
}

// owed is by how much exceptions pass the limit of their rule, in all.
func owed(r rule, exceptions []exception) int {
	sum := 0
	for _, e := range exceptions {
		sum += e.number - r.limit
	}
	return sum
}
