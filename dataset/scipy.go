package dataset

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/klauspost/compress/zip"
)

// readSparse reads what scipy.sparse.save_npz writes for a matrix by compressed rows: format, shape, indptr, indices
// and data.
func (a *npzFile) readSparse() (*Matrix, error) {
	format, err := a.text("format")
	if err != nil {
		return nil, err
	}
	if format != "csr" {
		return nil, fmt.Errorf("%s: is a sparse matrix of SciPy's format %q; save it with .tocsr()", a.name, clip([]byte(format)))
	}
	x := &Matrix{}
	shape, err := a.numbers("shape", math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if shape.n != 2 || shape.at(0) < 1 || shape.at(1) < 1 {
		return nil, fmt.Errorf("%s: has no shape of rows and columns; save it with scipy.sparse.save_npz", a.name)
	}
	x.Rows, x.Cols = int(shape.at(0)), int(shape.at(1))
	ptr, err := a.numbers("indptr", math.MaxInt64/2)
	if err != nil {
		return nil, err
	}
	x.Ptr = convert[int64](ptr)
	index, err := a.numbers("indices", float64(x.Cols-1))
	if err != nil {
		return nil, err
	}
	x.Index = convert[int32](index)
	data, err := a.array("data")
	if err != nil {
		return nil, err
	}
	x.Values = data.join()
	return x, a.check(x)
}

// check finds out whether the parts of a sparse matrix fit together, and sorts its rows.
func (a *npzFile) check(x *Matrix) error {
	last := len(x.Ptr) - 1
	fits := last == x.Rows && x.Ptr[0] == 0 && x.Ptr[last] == int64(len(x.Index)) && len(x.Index) == len(x.Values)
	for i := 0; fits && i < last; i++ {
		fits = x.Ptr[i] <= x.Ptr[i+1]
	}
	if !fits {
		return fmt.Errorf("%s: its indptr, indices, data and shape do not fit together; save the matrix again", a.name)
	}
	if i, j, ok := x.twice(); ok {
		return fmt.Errorf("%s: row %d has column %d twice; call sum_duplicates() and save it again", a.name, i+1, j+1)
	}
	x.sortRows()
	return nil
}

// array reads a member of one axis.
func (a *npzFile) array(member string) (p *pile[float64], err error) {
	err = a.member(member, func(r io.Reader, name string) error {
		n, err := newNPY(r, name)
		if err != nil {
			return err
		}
		if len(n.shape) != 1 {
			return n.errorf("has %d axes; save the matrix with scipy.sparse.save_npz", len(n.shape))
		}
		p, err = n.values()
		return err
	})
	return p, err
}

// numbers reads a member of whole numbers from 0 to limit.
func (a *npzFile) numbers(member string, limit float64) (*pile[float64], error) {
	p, err := a.array(member)
	if err != nil {
		return nil, err
	}
	for _, chunk := range p.chunks {
		for _, v := range chunk {
			if v < 0 || v > limit || v != math.Trunc(v) {
				return nil, fmt.Errorf("%s (%s.npy): holds %v, where whole numbers from 0 to %v are expected; save the matrix again", a.name, member, v, limit)
			}
		}
	}
	return p, nil
}

func convert[T int32 | int64](p *pile[float64]) []T {
	all := make([]T, 0, p.n)
	for c, chunk := range p.chunks {
		for _, v := range chunk {
			all = append(all, T(v))
		}
		p.chunks[c] = nil
	}
	return all
}

// text reads a member that is a short text, of bytes or of four-byte characters.
func (a *npzFile) text(member string) (s string, err error) {
	err = a.member(member, func(r io.Reader, name string) error {
		if _, err := newNPY(r, name); err != nil {
			return err
		}
		b, err := io.ReadAll(io.LimitReader(r, 64))
		s = strings.ReplaceAll(string(b), "\x00", "")
		return err
	})
	return s, err
}

func (a *npzFile) member(name string, read func(r io.Reader, name string) error) error {
	var m *zip.File
	if m = a.members[name]; m == nil {
		return fmt.Errorf("%s: has no member %s.npy; save the matrix with scipy.sparse.save_npz", a.name, name)
	}
	return a.open(m, read)
}
