package dataset

import (
	"bytes"
	"fmt"
	"io"
)

// A Matrix is Rows×Cols, dense or by compressed rows. All values are finite.
type Matrix struct {
	Rows, Cols int
	Dense      []float64 // row-major, Rows·Cols; nil for a sparse matrix
	// The sparse matrix: row i holds entries Ptr[i] … Ptr[i+1]-1, with ascending columns Index.
	Ptr    []int64 // Rows+1
	Index  []int32
	Values []float64
	Names  []string // of the columns, from a header; nil without one

	lines lineBreaks
}

// Line is the line of the text that row i stood on, 0 where that is not known: of arrays, of Matrix Market, and of what was made of other rows.
func (m *Matrix) Line(i int) int { return m.lines.line(i) }

// Densify stores a sparse matrix as a dense one, of 8 bytes an entry where a stored entry of a sparse one takes 12.
func (m *Matrix) Densify() {
	if m.Dense != nil {
		return
	}
	dense := make([]float64, m.Rows*m.Cols)
	for i := range m.Rows {
		for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
			dense[i*m.Cols+int(m.Index[e])] = m.Values[e]
		}
	}
	m.Dense, m.Ptr, m.Index, m.Values = dense, nil, nil, nil
}

const matrixKinds = "delimited text, Matrix Market, .npy or .npz"

// ReadMatrix reads a matrix from a file, plain or gzip or zstd, or from stdin for "-" (nil means the standard input of
// the process). The format is told by the content:
//
//   - text delimited by tabs, semicolons, commas, bars or blanks, with a header or without. A first column without a
//     name is the row names that pandas and R write, and is left out;
//   - Matrix Market: coordinate (sparse) or array (dense), general or symmetric, real, integer or pattern;
//   - .npy of one or two axes (one axis is a column), and .npz: its first array, or SciPy's csr_matrix.
//
// Errors are one line that names the file, the line (in .npy the row and column), and the mend. Memory is twice
// that of the result, and buffers of about 1 MB.
func ReadMatrix(name string, stdin io.Reader) (*Matrix, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.matrix()
}

// ReadTargets reads a dense matrix of numbers, one or more columns, from all formats of ReadMatrix; an .npz holds nothing else.
func ReadTargets(name string, stdin io.Reader) (*Matrix, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.only = true
	m, err := in.matrix()
	if err == nil && m.Dense == nil {
		return nil, fmt.Errorf("%s: is a sparse matrix; targets are dense, write them as CSV or .npy", in.Name)
	}
	return m, err
}

func (in *input) matrix() (*Matrix, error) {
	head, _ := in.bytes.Peek(8)
	ending := in.ending()
	switch {
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return readNPY(in.bytes, in.Name)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return in.readNPZ()
	case ending == "npy" || ending == "npz":
		if len(head) == 0 {
			return nil, fmt.Errorf("%s: is empty; save the array again", in.Name)
		}
		return nil, fmt.Errorf("%s: does not start like .%s; save it with NumPy, or give text another name", in.Name, ending)
	}
	lines := newLineReader(in.bytes)
	if err := firstLine(lines, in.Name, "a matrix as "+matrixKinds); err != nil {
		return nil, err
	}
	if isMarket(lines.text) {
		return readMarket(lines, in.Name)
	}
	if ending == "mtx" {
		return nil, lineError(in.Name, lines.line, "a Matrix Market file starts with %%%%MatrixMarket; name other text .csv or .txt")
	}
	return readTable(lines, in.Name)
}
