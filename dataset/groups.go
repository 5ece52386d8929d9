package dataset

import (
	"bufio"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// ReadGroups reads groups of features, of which there are rows, with names or none, and the weights of the groups, nil where none
// is given. A file with one name on each of as many lines as there are features says which group each is in. Otherwise each line
// is a group: features by name, in quotes where it has blanks or commas, or by number from 1, with commas or blanks between; a
// feature may be in no group, and with overlap in several. Both may begin a line with the weight of its group and a colon.
func ReadGroups(name string, features []string, rows int, overlap bool) (groups [][]int32, weights []float64, err error) {
	lines, err := readWordLines(name)
	if err != nil {
		return nil, nil, err
	}
	name = Called(name)
	given, err := cutWeights(name, lines)
	if err != nil {
		return nil, nil, err
	}
	single := true
	for _, l := range lines {
		single = single && len(l) == 1
	}
	switch {
	case single && len(lines) == rows:
		groups, weights, err = groupsByName(name, lines, given)
	case single && len(lines) == rows+1 && !isNumber(lines[0][0]): // under a header
		groups, weights, err = groupsByName(name, lines[1:], given[1:])
	default:
		groups, err = groupsByLine(name, lines, features, rows, overlap)
		weights = given
		if err != nil && single && isNumber(lines[0][0]) {
			err = fmt.Errorf("%w; a line for the group of each feature would be %d lines, not %d", err, rows, len(lines))
		} else if err != nil && single {
			err = fmt.Errorf("%s: has one word on each of %d lines; the group of each feature takes %d lines", name, len(lines), rows)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return groups, completed(weights), nil
}

// cutWeights takes a weight such as "2.5:" off the beginning of each line; 0 is none.
func cutWeights(name string, lines [][]string) ([]float64, error) {
	weights := make([]float64, len(lines))
	for i, l := range lines {
		number, has := strings.CutSuffix(l[0], ":")
		if !has || !isNumber(number) {
			continue
		}
		w, _ := text.Number(number)
		switch {
		case !(w > 0) || math.IsInf(w, 1):
			return nil, fmt.Errorf("%s: the weight %s of a group, before %s, is not positive and finite", name, number, before(l[1:]))
		case len(l) == 1:
			return nil, fmt.Errorf("%s: the weight %s stands before no group", name, number)
		}
		weights[i], lines[i] = w, l[1:]
	}
	return weights, nil
}

// before is what stands after a weight.
func before(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strconv.Quote(words[0])
}

// completed weighs groups by 1 that were given no weight.
func completed(weights []float64) []float64 {
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) {
		return nil
	}
	for g, w := range weights {
		if w == 0 {
			weights[g] = 1
		}
	}
	return weights
}

var oneWord = regexp.MustCompile(`"(?:[^"]|"")*"|[^,;\t ]+`)

// words are those of a line, between commas, semicolons, tabs and blanks. Quotes around a word keep these in it, as in CSV.
func words(line string) []string {
	list := oneWord.FindAllString(line, -1)
	for i, w := range list {
		if len(w) > 1 && w[0] == '"' && w[len(w)-1] == '"' {
			list[i] = strings.ReplaceAll(w[1:len(w)-1], `""`, `"`)
		}
	}
	return list
}

func readWordLines(name string) ([][]string, error) {
	src, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	name = src.Name
	var lines [][]string
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		text := sc.Text()
		if len(lines) == 0 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if l := words(text); len(l) > 0 {
			lines = append(lines, l)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", name, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: is empty; give the group of each feature, one a line, or the features of each group", name)
	}
	return lines, nil
}

// groupsByName are groups of which each line names one; the weight of a group may stand on any of its lines.
func groupsByName(name string, lines [][]string, given []float64) (groups [][]int32, weights []float64, err error) {
	at := map[string]int{}
	for i, l := range lines {
		g, ok := at[l[0]]
		if !ok {
			g = len(groups)
			at[l[0]] = g
			groups, weights = append(groups, nil), append(weights, 0)
		}
		groups[g] = append(groups[g], int32(i))
		switch w := given[i]; {
		case w != 0 && weights[g] != 0 && w != weights[g]:
			return nil, nil, fmt.Errorf("%s: group %q has the weights %v and %v", name, l[0], weights[g], w)
		case w != 0:
			weights[g] = w
		}
	}
	return groups, weights, nil
}

func groupsByLine(name string, lines [][]string, features []string, rows int, overlap bool) ([][]int32, error) {
	taken := make([]int, rows)
	groups := make([][]int32, len(lines))
	for g, l := range lines {
		for _, word := range l {
			i := slices.Index(features, word)
			if i < 0 {
				n, err := strconv.Atoi(word)
				if err != nil || n < 1 || n > rows {
					return nil, fmt.Errorf("%s: group %d holds %q, which is no feature: give names, or numbers from 1 to %d", name, g+1, word,
						rows)
				}
				i = n - 1
			}
			switch {
			case taken[i] == g+1:
				return nil, fmt.Errorf("%s: feature %q stands twice in group %d", name, word, g+1)
			case taken[i] != 0 && !overlap:
				return nil, fmt.Errorf("%s: feature %q is in group %d and in group %d; groups must be disjoint", name, word, taken[i], g+1)
			}
			taken[i] = g + 1
			groups[g] = append(groups[g], int32(i))
		}
	}
	return groups, nil
}

// ReadWeights reads positive weights of the entries of a rows×cols matrix, row-major, or a column of them for its rows.
func ReadWeights(name string, rows, cols int) ([]float64, error) {
	m, err := readTargets(name, nil)
	if err != nil {
		return nil, err
	}
	if m.Rows != rows || m.Cols != cols && m.Cols != 1 {
		return nil, fmt.Errorf("%s: is %d×%d; weights are %d×%d, one for each feature and output, or a column of %d",
			name, m.Rows, m.Cols, rows, cols, rows)
	}
	all := make([]float64, 0, rows*cols)
	for e, w := range m.Dense {
		if !(w > 0) {
			return nil, fmt.Errorf("%s: row %d, column %d: the weight %v is not positive", name, e/m.Cols+1, e%m.Cols+1, w)
		}
		all = append(all, w)
		for range cols - m.Cols {
			all = append(all, w)
		}
	}
	return all, nil
}
