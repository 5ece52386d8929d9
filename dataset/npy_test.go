package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zip"
)

// npy writes an array as NumPy does: magic, version, length, header padded to 64 bytes, values.
func npy(version int, header string, values any, order binary.ByteOrder) []byte {
	b := append([]byte(npyMagic), byte(version), 0)
	size := 2
	if version > 1 {
		size = 4
	}
	for (len(b)+size+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	b = append(b, header...)
	b, err := binary.Append(b, order, values)
	if err != nil {
		panic(err)
	}
	return b
}

func header(descr string, fortran bool, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
		strings.ToUpper(fmt.Sprint(fortran))[:1]+fmt.Sprint(fortran)[1:], shape)
}

func readBytes(b []byte) (*Matrix, error) { return ReadMatrix("-", bytes.NewReader(b)) }

// Every type, byte order, version and order of axes gives the values that were written.
func TestNPYTypes(t *testing.T) {
	for descr, c := range map[string]struct{ values, want any }{
		"f8": {[]float64{-1.5, 2, 1e300, 4, 5, -6}, []float64{-1.5, 2, 1e300, 4, 5, -6}},
		"f4": {[]float32{-1.5, 2, 3, 4, 5, -6}, []float64{-1.5, 2, 3, 4, 5, -6}},
		"i1": {[]int8{-128, 2, 3, 4, 5, 127}, []float64{-128, 2, 3, 4, 5, 127}},
		"i2": {[]int16{-32768, 2, 3, 4, 5, 6}, []float64{-32768, 2, 3, 4, 5, 6}},
		"i4": {[]int32{math.MinInt32, 2, 3, 4, 5, 6}, []float64{math.MinInt32, 2, 3, 4, 5, 6}},
		"i8": {[]int64{-1 << 53, 2, 3, 4, 5, 6}, []float64{-1 << 53, 2, 3, 4, 5, 6}},
		"u1": {[]uint8{255, 2, 3, 4, 5, 6}, []float64{255, 2, 3, 4, 5, 6}},
		"u2": {[]uint16{65535, 2, 3, 4, 5, 6}, []float64{65535, 2, 3, 4, 5, 6}},
		"u4": {[]uint32{math.MaxUint32, 2, 3, 4, 5, 6}, []float64{math.MaxUint32, 2, 3, 4, 5, 6}},
		"u8": {[]uint64{1 << 63, 2, 3, 4, 5, 6}, []float64{1 << 63, 2, 3, 4, 5, 6}},
		"b1": {[]bool{true, false, true, true, false, false}, []float64{1, 0, 1, 1, 0, 0}},
	} {
		for version := 1; version <= 3; version++ {
			for mark, order := range map[string]binary.ByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian} {
				want := c.want.([]float64)
				m, err := readBytes(npy(version, header(mark+descr, false, "(2, 3)"), c.values, order))
				if err != nil || m.Rows != 2 || m.Cols != 3 || !slices.Equal(m.Dense, want) {
					t.Errorf("%s%s: %+v, %v", mark, descr, m, err)
				}
				m, err = readBytes(npy(version, header(mark+descr, true, "(3L, 2L)"), c.values, order))
				if err != nil || m.Rows != 3 || m.Cols != 2 || m.Dense[1] != want[3] || m.Dense[2] != want[1] || m.Dense[5] != want[5] {
					t.Errorf("%s%s by columns: %+v, %v", mark, descr, m, err)
				}
			}
		}
	}
	m, err := readBytes(npy(1, `{"descr": "|u1", "fortran_order": True, "shape": (3,)}`, []uint8{7, 8, 9}, binary.LittleEndian))
	if err != nil || m.Rows != 3 || m.Cols != 1 || m.Dense[2] != 9 {
		t.Errorf("one axis: %+v, %v", m, err)
	}
}

func TestBadNPY(t *testing.T) {
	six, le := []float64{1, 2, 3, 4, 5, 6}, binary.LittleEndian
	good := npy(1, header("<f8", false, "(2, 3)"), six, le)
	bad := map[string]struct {
		b    []byte
		want string
	}{
		"objects": {npy(1, header("|O", false, "(2, 3)"), six, le), "holds Python objects; save it with .astype(float)"},
		"records": {npy(1, "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (3,), }", six, le),
			"holds records of several fields"},
		"half":       {npy(1, header("<f2", false, "(2, 3)"), six, le), `holds values of type "<f2"`},
		"complex":    {npy(1, header("<c16", false, "(2, 3)"), six, le), `type "<c16"`},
		"texts":      {npy(1, header("<U5", false, "(2, 3)"), six, le), "holds text (<U5)"},
		"no axis":    {npy(1, header("<f8", false, "()"), six[:1], le), "has 0 axes; reshape it"},
		"three axes": {npy(1, header("<f8", false, "(1, 2, 3)"), six, le), "has 3 axes; reshape it"},
		"no rows":    {npy(1, header("<f8", false, "(0, 3)"), six[:0], le), "is an empty array of 0×3"},
		"claims": {npy(1, header("<f8", false, "(1000000000000, 1)"), six, le),
			"is cut short: it holds 6 of its 1000000000000 values"},
		"claims more": {npy(1, header("<f8", false, "(4000000000, 4000000000)"), six, le), "claims the shape"},
		"negative":    {npy(1, header("<f8", false, "(-1, 3)"), six, le), "claims the shape"},
		"nan":         {npy(1, header("<f8", false, "(2, 3)"), []float64{1, 2, 3, 4, math.NaN(), 6}, le), "row 2, column 2 is NaN"},
		"infinite": {npy(1, header("<f4", true, "(2, 3)"), []float32{1, 2, 3, float32(math.Inf(-1)), 5, 6}, le),
			"row 2, column 2 is -Inf"},
		"cut short":      {good[:len(good)-1], "is cut short: it holds 5 of its 6 values"},
		"cut in header":  {good[:50], "is cut short inside its header"},
		"cut in magic":   {good[:7], "is cut short inside its header"},
		"tail":           {append(slices.Clone(good), 0), "goes on behind the 6 values"},
		"version":        {append([]byte(npyMagic+"\x04"), good[7:]...), "is version 4 of .npy"},
		"long header":    {[]byte(npyMagic + "\x02\x00\xff\xff\xff\xffab"), "claims a header of 4294967295 bytes"},
		"no type":        {npy(1, "{'fortran_order': False, 'shape': (2, 3)}", six, le), "has a header without a type"},
		"no order":       {npy(1, "{'descr': '<f8', 'shape': (2, 3)}", six, le), "has a header without an order"},
		"no shape":       {npy(1, "{'descr': '<f8', 'fortran_order': False}", six, le), "has a header without a shape"},
		"shape not ints": {npy(1, header("<f8", false, "(2, x)"), six, le), "claims the shape"},
	}
	for name, c := range bad {
		_, err := readBytes(c.b)
		wantError(t, name, err, "standard input: ")
		wantError(t, name, err, c.want)
	}
}

// npz writes members in order, with the given method of compression.
func npz(method uint16, members ...any) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k := 0; k < len(members); k += 2 {
		w, _ := z.CreateHeader(&zip.FileHeader{Name: members[k].(string), Method: method})
		w.Write(members[k+1].([]byte))
	}
	z.Close()
	return b.Bytes()
}

func vector[T any](descr string, v []T) []byte {
	return npy(1, header(descr, false, fmt.Sprintf("(%d,)", len(v))), v, binary.LittleEndian)
}

func TestNPZ(t *testing.T) {
	x := npy(1, header("<f8", false, "(2, 3)"), []float64{1, 2, 3, 4, 5, 6}, binary.LittleEndian)
	y := vector("<i4", []int32{1, 2})
	dir := t.TempDir()
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		b := npz(method, "readme.txt", []byte("hello"), "x.npy", x, "y.npy", y)
		file := filepath.Join(dir, name+".npz")
		os.WriteFile(file, b, 0o600)
		fromFile, err := ReadMatrix(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		fromPipe, err := readBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		var gz bytes.Buffer
		g := gzip.NewWriter(&gz)
		g.Write(b)
		g.Close()
		os.WriteFile(file+".gz", gz.Bytes(), 0o600)
		fromGzip, err := ReadMatrix(file+".gz", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Matrix{fromFile, fromPipe, fromGzip} {
			if m.Rows != 2 || m.Cols != 3 || m.Dense[5] != 6 {
				t.Errorf("%s: %+v", name, m)
			}
		}
		_, err = readTargets(file, nil)
		wantError(t, name+" targets", err, `holds 2 arrays, of which "x.npy" is the first; save the answers in a file of their own`)
		_, err = ReadLabels(file, nil, 2)
		wantError(t, name+" labels", err, `holds 2 arrays, of which "x.npy" is the first`)
		_, err = readBytes(b[:len(b)-30])
		wantError(t, name+" cut short", err, "starts like a zip file but is no whole one")
	}
	damaged := npz(zip.Store, "x.npy", x)
	damaged[bytes.Index(damaged, x)+len(x)-1] ^= 1
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"damaged": {damaged, "(x.npy): cannot be read further: zip: checksum error"},
		"nothing": {npz(zip.Deflate), "is a zip file without a file in it"},
		"objects": {npz(zip.Deflate, "o.npy", vector("|O", []int64{1})), "(o.npy): holds Python objects"},
	} {
		_, err := readBytes(c.b)
		wantError(t, name, err, c.want)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gcg-*.zip")); len(left) > 0 {
		t.Logf("temporary copies are left, of this test or of another process: %v", left)
	}
}

// sciPy writes the members of scipy.sparse.save_npz.
func sciPy(format string, shape []int64, indptr, indices []int32, data []float64) []byte {
	return npz(zip.Deflate, "indices.npy", vector("<i4", indices), "indptr.npy", vector("<i4", indptr),
		"format.npy", npy(1, header("|S3", false, "()"), []byte(format), binary.LittleEndian),
		"shape.npy", vector("<i8", shape), "data.npy", vector("<f8", data))
}

func TestSciPySparse(t *testing.T) {
	m, err := readBytes(sciPy("csr", []int64{3, 4}, []int32{0, 2, 2, 3}, []int32{3, 0, 1}, []float64{30, 1, 5}))
	if err != nil {
		t.Fatal(err)
	}
	checkMatrix(t, m)
	if m.Rows != 3 || m.Cols != 4 || at(m, 0, 3) != 30 || at(m, 0, 0) != 1 || at(m, 2, 1) != 5 {
		t.Errorf("%+v", m)
	}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"bsr":      {sciPy("bsr", []int64{3, 4}, []int32{0, 0, 0, 0, 0}, nil, nil), `format "bsr"; save it with .tocsr()`},
		"pointers": {sciPy("csr", []int64{3, 4}, []int32{0, 2, 1, 3}, []int32{3, 0, 1}, []float64{30, 1, 5}), "do not fit together"},
		"rows":     {sciPy("csr", []int64{1 << 30, 4}, []int32{0, 3}, []int32{3, 0, 1}, []float64{30, 1, 5}), "do not fit together"},
		"short":    {sciPy("csr", []int64{1, 4}, []int32{0, 3}, []int32{3, 0, 1}, []float64{30, 1}), "do not fit together"},
		"empty":    {sciPy("csr", []int64{1, 4}, nil, nil, nil), "do not fit together"},
		"outside":  {sciPy("csr", []int64{1, 3}, []int32{0, 3}, []int32{3, 0, 1}, []float64{30, 1, 5}), "(indices.npy): holds 3"},
		"negative": {sciPy("csr", []int64{1, 3}, []int32{0, 1}, []int32{-1}, []float64{30}), "(indices.npy): holds -1"},
		"twice":    {sciPy("csr", []int64{1, 3}, []int32{0, 2}, []int32{1, 1}, []float64{30, 1}), "row 1 has column 2 twice"},
		"shape":    {sciPy("csr", []int64{1}, []int32{0, 2}, []int32{1, 1}, []float64{30, 1}), "has no shape"},
		"absent": {npz(zip.Store, "format.npy", npy(1, header("|S3", false, "()"), []byte("csr"), binary.LittleEndian),
			"shape.npy", vector("<i8", []int64{1, 1})), "has no array indptr.npy"},
	} {
		_, err := readBytes(c.b)
		wantError(t, name, err, c.want)
	}
}

func FuzzNPY(f *testing.F) {
	f.Add(npy(1, header("<f8", false, "(2, 3)"), make([]float64, 6), binary.LittleEndian))
	f.Add(npy(2, header(">i2", true, "(2, 3)"), make([]int16, 6), binary.BigEndian))
	f.Add(npy(3, header("|b1", false, "(3,)"), make([]bool, 3), binary.LittleEndian))
	f.Add(npz(zip.Deflate, "x.npy", vector("<i4", []int32{1, 2})))
	f.Add(sciPy("csr", []int64{3, 4}, []int32{0, 2, 2, 3}, []int32{3, 0, 1}, []float64{30, 1, 5}))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readBytes(b)
		checkRead(t, m, err)
		if bytes.HasPrefix(b, []byte("PK")) {
			return
		}
		m, err = readNPY(bytes.NewReader(b), "f", 0, false)
		checkRead(t, m, err)
	})
}
