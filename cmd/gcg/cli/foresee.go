package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A Need is the bytes that a fit takes.
type Need struct {
	Of    string // the data, such as 1000 ratings
	Shape string // what follows in the log, such as ", 20 × 30"
	Least float64
	At    func(size int) float64 // at most, where W ends at this rank, or with so many nonzeros
	Unit  string                 // at rank %d, or the like
	Sizes []int                  // that solutions often have, and one that few exceed
	Most  int                    // that W can have
	Mend  string                 // what takes less
}

// Forecast says what a run will take at its sizes, and how much that is at the last of them.
func (n *Need) Forecast() (text string, most float64) {
	var parts []string
	for _, size := range n.Sizes {
		size = min(size, n.Most)
		most = n.At(size)
		if at := memory.Gigabytes(most) + fmt.Sprintf(" "+n.Unit, size); !slices.Contains(parts, at) {
			parts = append(parts, at)
		}
	}
	return "expect at most " + strings.Join(parts, ", "), most
}

// worthSaying is memory that not every machine has to spare.
const worthSaying = 2e8

// Foresee refuses what the memory that there is cannot hold, and says what the run will take where that is worth it. name is that
// of the data.
func (f *RunFlags) Foresee(name string, n Need) error {
	have := math.Inf(1)
	if bytes := memory.Available(); bytes > 0 {
		have = bytes
	}
	if r := f.ranks(); r != nil && r.OnHost > 1 {
		have /= float64(r.OnHost)
	}
	if n.Least > have {
		return fmt.Errorf("%s: %s take %s at least, and there are %s: %s", name, n.Of, memory.Gigabytes(n.Least),
			memory.Gigabytes(have), n.Mend)
	}
	text, most := n.Forecast()
	if memory.ByAddresses() && most > have { // memory that is given back still counts there, and nothing ends a run in time
		return fmt.Errorf("%s: %s may take %s, and ulimit -v leaves %s: allow more, or limit the memory of a container instead; %s",
			name, n.Of, memory.Gigabytes(most), memory.Gigabytes(have), n.Mend)
	}
	if most > have {
		text += fmt.Sprintf("; there are %s", memory.Gigabytes(have))
	}
	if most > worthSaying {
		NewProgress(f.Cmd.ErrOrStderr(), f).Say(n.Of + n.Shape + ": " + text)
	}
	return nil
}

// ForeseeMatrices is Foresee of a task that keeps W and what its steps need as matrices of rows × cols: so many of them, from
// the fewest to those that few fits exceed.
func (f *RunFlags) ForeseeMatrices(name string, rows, cols int, fewest, most float64) error {
	const process = 9e7 // the program and its buffers
	one := 8 * float64(rows) * float64(cols)
	return f.Foresee(name, Need{Of: fmt.Sprintf("matrices of %d × %d", rows, cols), Least: process/3 + fewest*one,
		At: func(int) float64 { return process + most*one }, Unit: "at rank %d", Sizes: []int{math.MaxInt}, Most: min(rows, cols),
		Mend: "take fewer rows or columns, or more memory"})
}

// ForeseeReading refuses files of features whose numbers the memory cannot hold. Of text their number is judged by its first
// lines; of what is packed, or a pipe, nothing is known.
func ForeseeReading(names ...string) error { return (*Ranks)(nil).ForeseeReading(names...) }

// ForeseeReading is that of ranks, each of which reads a part of a text, and the whole of other files.
func (r *Ranks) ForeseeReading(names ...string) error {
	have, need := memory.Available(), 0.0
	if r != nil {
		have /= float64(max(1, r.OnHost))
	}
	if memory.ByAddresses() { // reading joins parts, which it gives back meanwhile, and garbage counts
		have /= 4
	}
	for _, name := range names {
		bytes, text := readingBytes(name)
		if r != nil && text {
			bytes /= float64(r.Size())
		}
		if need += bytes; have > 0 && need > have {
			return fmt.Errorf("%s: has numbers for about %s, and there is room for %s: take fewer rows or features, or more memory", name,
				memory.Gigabytes(need), memory.Gigabytes(have))
		}
	}
	return nil
}

// readingBytes is what the numbers of a file of features take, 0 where that is unknown, and whether it is a text.
func readingBytes(name string) (size float64, text bool) {
	file, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	const enough = 1 << 16
	head, _ := bufio.NewReaderSize(file, enough).Peek(enough)
	if bytes.HasPrefix(head, []byte("\x93NUMPY")) {
		return float64(info.Size()), false
	}
	numbers := 0
	for _, b := range head {
		if b == 0 || b >= 0x80 { // packed, or a text whose numbers are not all that it has
			return 0, false
		}
		if strings.IndexByte(",;\t \n", b) >= 0 {
			numbers++
		}
	}
	return 8 * float64(numbers) / float64(max(len(head), 1)) * float64(info.Size()), true
}
