package synthetic

import (
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
)

// WriteUsers writes features of the users of a generated dataset as CSV: user, age and occupation. The age goes with the first
// coordinate of a user's truth, with noise; the occupation is the largest of them all.
func WriteUsers(out io.Writer, g dataset.Generator) error {
	users, _, err := g.Truth()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0xfea7))
	return writeGenerated(out, []string{"user", "age", "occupation"}, users, g.Rank, func(u []float32) (string, string) {
		largest := 0
		for t, x := range u {
			if x > u[largest] {
				largest = t
			}
		}
		return noisy(rng, u[0], 40, 12), called("occupation", largest)
	})
}

// WriteItems writes features of the items as CSV: item, year and genres. The year goes with the first coordinate of an item's
// truth, with noise; the genres are the coordinates above 1/2.
func WriteItems(out io.Writer, g dataset.Generator) error {
	_, items, err := g.Truth()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0xfea8))
	return writeGenerated(out, []string{"item", "year", "genre"}, items, g.Rank, func(v []float32) (string, string) {
		var genres []string
		for t, x := range v {
			if x > 0.5 {
				genres = append(genres, called("genre", t))
			}
		}
		return noisy(rng, v[0], 1985, 8), strings.Join(genres, "|")
	})
}

// noisy is mean + deviation·(0.8x + 0.6 normal), a whole number.
func noisy(rng *rand.Rand, x float32, mean, deviation float64) string {
	return strconv.Itoa(int(math.Round(mean + deviation*(0.8*float64(x)+0.6*rng.NormFloat64()))))
}

// called is a word for a coordinate.
func called(what string, t int) string { return what + strconv.Itoa(t+1) }

// writeGenerated writes a header and a line for each row of a truth of so many coordinates.
func writeGenerated(out io.Writer, header []string, truth []float32, rank int, of func(x []float32) (number, word string)) error {
	w := csv.NewWriter(out)
	w.Write(header) // errors are kept until the end
	for i := range len(truth) / rank {
		number, word := of(truth[i*rank : (i+1)*rank])
		w.Write([]string{strconv.Itoa(i + 1), number, word})
	}
	w.Flush()
	return w.Error()
}
