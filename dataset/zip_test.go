package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The one file of a zip file is read, by its name and from a stream, packed once more too, and with what systems put beside it.
func TestZipOfOneFile(t *testing.T) {
	dir := t.TempDir()
	ratings := "user,item,rating\na,x,1\nb,y,2\n"
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write([]byte(ratings))
	g.Close()
	for name, b := range map[string][]byte{
		"plain": npz(zip.Deflate, "a/", []byte(nil), "a/u.csv", []byte(ratings), "__MACOSX/a/._u.csv", []byte("x"), ".DS_Store",
			[]byte("y")),
		"gzip": npz(zip.Store, "u.csv.gz", gz.Bytes()),
		"json": npz(zip.Store, "u.jsonl", []byte(`{"user":"a","item":"x","rating":1}`+"\n"+`{"user":"b","item":"y","rating":2}`)),
	} {
		file := filepath.Join(dir, name+".zip")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := RatingsReader{}.ReadRatings(file)
		if err != nil || !slices.Equal(r.Values, []float64{1, 2}) || r.RowIDs.Text(1) != "b" || r.Checksum == "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	x := npz(zip.Deflate, "x.csv", []byte("a,b\n1,2\n3,4\n"))
	if m, err := readBytes(x); err != nil || m.Rows != 2 || m.Names[1] != "b" || m.Dense[3] != 4 {
		t.Errorf("from a stream: %+v, %v", m, err)
	}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"several": {npz(zip.Store, "u.data", []byte("1 2 3\n"), "u.item", []byte("1|x\n")),
			"standard input: holds 2 files (u.data, u.item), and one is read; unpack it and name the file"},
		"sheet": {npz(zip.Store, "[Content_Types].xml", []byte("<x/>"), "xl/a.xml", []byte("<x/>")),
			"is a spreadsheet; save its sheet as CSV"},
	} {
		_, err := readBytes(c.b)
		wantError(t, name, err, c.want)
	}
}
