package metric

import "fmt"

// A ClassScore measures the predictions of one class. Precision is the share of the rows predicted to be in it that are; recall
// the share of the rows in it that are predicted to be; F1 = 2·precision·recall/(precision + recall), their harmonic mean. Each
// is 0 where its denominator is.
type ClassScore struct {
	Name      string  `json:"name"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	N         int     `json:"observations"` // in the class
}

// EachClass scores every class of a confusion table, true class × predicted class.
func EachClass(names []string, table [][]int) []ClassScore {
	predicted := make([]int, len(names))
	for _, row := range table {
		for c, n := range row {
			predicted[c] += n
		}
	}
	all := make([]ClassScore, len(names))
	for c, name := range names {
		s := ClassScore{Name: name}
		for _, n := range table[c] {
			s.N += n
		}
		right := table[c][c]
		s.Precision, s.Recall, s.F1 = share(right, predicted[c]), share(right, s.N), share(2*right, predicted[c]+s.N)
		all[c] = s
	}
	return all
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ClassTable is a line for each class under a header.
func ClassTable(all []ClassScore) []string {
	wide := 5
	for _, s := range all {
		wide = max(wide, min(len([]rune(s.Name)), 12))
	}
	lines := []string{fmt.Sprintf("%-*s  precision  recall      F1    rows", wide, "class")}
	for _, s := range all {
		lines = append(lines, fmt.Sprintf("%-*s %10.4f  %6.4f  %6.4f %7d", wide, short(s.Name), s.Precision, s.Recall, s.F1, s.N))
	}
	return lines
}
