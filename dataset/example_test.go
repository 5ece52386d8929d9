package dataset_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Any delimited text with a user, an item and a rating; ids are any text.
func ExampleRatingsReader_Read() {
	r, err := dataset.RatingsReader{}.Read(strings.NewReader("ann::tea::4\nbob::tea::2\nann::rum::5\n"), "ratings.dat")
	if err != nil {
		log.Fatal(err)
	}
	x, err := r.Compress(dataset.RefuseDuplicates)
	if err != nil {
		log.Fatal(err)
	}
	x.Entries(func(i, j int, v float64) { fmt.Println(r.RowIDs.Text(i), r.ColIDs.Text(j), v) })
	// Output:
	// ann tea 4
	// ann rum 5
	// bob tea 2
}

// Errors name the file and the line.
func ExampleRatings_Compress() {
	_, err := dataset.RatingsReader{}.Read(strings.NewReader("1,1,4\n1,2,good\n"), "ratings.csv")
	fmt.Println(err)
	r, err := dataset.RatingsReader{}.Read(strings.NewReader("1,1,4\n1,2,3\n1,1,5\n"), "ratings.csv")
	if err != nil {
		log.Fatal(err)
	}
	_, err = r.Compress(dataset.RefuseDuplicates)
	fmt.Println(err)
	x, err := r.Compress(dataset.MeanDuplicates)
	fmt.Println(x.Values, err)
	// Output:
	// ratings.csv:2: the rating "good" is not a number (column 3; see Columns)
	// ratings.csv:3: user "1" and item "1" are already rated on line 1; remove one
	// [4.5 3] <nil>
}

// A split by seed: the same one every time.
func ExampleSplit_Parts() {
	r, err := dataset.Generator{Name: "small", Rows: 10, Cols: 8, N: 40, Rank: 1, Scale: 1, Seed: 1}.Ratings()
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := dataset.Split{Fraction: 0.9, Seed: 7}.Parts(r)
	fmt.Println(len(train), len(test), err)
	// Output: 36 4 <nil>
}
