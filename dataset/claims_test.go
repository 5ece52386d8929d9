package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zip"
)

// What a small file claims costs no memory: every reader stays below 32 MB, most of it the row pointers and their
// two copies for 2²⁰ empty rows, on files of a few hundred bytes that speak of 10⁹ rows and more.
func TestClaimsCostNothing(t *testing.T) {
	le := binary.LittleEndian
	eight := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	tall := npy(1, header("<f8", false, "(1000000000000, 1)"), eight, le)
	lying := npz(zip.Deflate, "x.npy", tall)
	if k := bytes.LastIndex(lying, []byte("PK\x01\x02")); k >= 0 { // the uncompressed size in the list of contents
		le.PutUint32(lying[k+24:], 0xfffffff0)
	}
	many := npz(zip.Deflate, "x.npy", tall)
	end := bytes.LastIndex(many, []byte("PK\x05\x06"))
	le.PutUint16(many[end+8:], 0xfffe)
	le.PutUint16(many[end+10:], 0xfffe)
	for name, b := range map[string][]byte{
		"npy":               tall,
		"npy by columns":    npy(1, header("<f8", true, "(1000000, 1000000)"), eight, le),
		"npy header":        append([]byte(npyMagic+"\x02\x00\xff\xff\xff\x7f"), make([]byte, 90)...),
		"npz":               npz(zip.Store, "x.npy", tall),
		"npz size":          lying,
		"npz members":       many,
		"csr":               sciPy("csr", []int64{1 << 30, 1 << 30}, []int32{0, 1}, []int32{0}, []float64{1}),
		"market array":      []byte("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n"),
		"market symmetric":  []byte("%%MatrixMarket matrix array real symmetric\n2000000000 2000000000\n1\n"),
		"market rows":       []byte("%%MatrixMarket matrix coordinate real general\n2000000000 1 1\n1 1 1\n"),
		"market empty rows": []byte("%%MatrixMarket matrix coordinate real general\n1048576 2000000000 1\n1 2000000000 1\n"),
		"market entries":    []byte("%%MatrixMarket matrix coordinate real general\n2 2 1000000000000\n1 1 1\n"),
		"libsvm":            []byte("1 1:1 2147483646:1\n"),
	} {
		var err error
		for reader, read := range map[string]func(){
			"ReadMatrix": func() { _, err = ReadMatrix("-", bytes.NewReader(b)) },
			"readLIBSVM": func() { readLIBSVM("-", bytes.NewReader(b), nil) },
			"ReadLabels": func() { ReadLabels("-", bytes.NewReader(b), math.MaxInt) },
			"ReadTasks":  func() { readTasks("-", bytes.NewReader(b), "1", "2") },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			read()
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got >= 32 {
				t.Errorf("%s: %s takes %d MB for %d bytes", name, reader, got, len(b))
			}
		}
		if err == nil && name != "market empty rows" {
			t.Errorf("%s: is read", name)
		}
	}
}

// A reader that fails midway is an error with the line, not a shorter matrix.
func TestFailingInput(t *testing.T) {
	for name, text := range map[string]string{
		"csv":        "1,2\n3,4\n",
		"array":      "%%MatrixMarket matrix array real general\n2 1\n1\n2\n",
		"coordinate": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n",
	} {
		_, err := ReadMatrix("-", broken(text))
		wantError(t, name, err, "cannot be read further: the disk is gone")
	}
	_, err := ReadMatrix("-", broken(string(npy(1, header("<f8", false, "(2,)"), []float64{1}, binary.LittleEndian))))
	wantError(t, "npy", err, "cannot be read further: the disk is gone")
	_, err = ReadMatrix("-", broken(string(npz(zip.Store, "x.npy", []byte{1}))))
	wantError(t, "npz", err, "the disk is gone")
	_, err = readLIBSVM("-", broken("1 1:2\n"), nil)
	wantError(t, "libsvm", err, "the disk is gone")
	_, err = ReadLabels("-", broken("a\nb\n"), 0)
	wantError(t, "labels", err, "the disk is gone")
	_, err = readTasks("-", broken("task,y,a\nx,1,2\n"), "", "")
	wantError(t, "tasks", err, "the disk is gone")
}

func broken(text string) io.Reader {
	return io.MultiReader(bytes.NewReader([]byte(text)), iotest.ErrReader(errors.New("the disk is gone")))
}
