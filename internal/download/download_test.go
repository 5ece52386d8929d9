package download

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// archived is an archive with files of these names and texts, in turn.
func archived(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// served is a dataset that a server has, and the ranges that were asked for.
func served(t *testing.T, data []byte) (Dataset, *[]string) {
	t.Helper()
	asked := &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Header.Get("Range"))
		http.ServeContent(w, r, "a.zip", time.Time{}, bytes.NewReader(data))
	}))
	t.Cleanup(s.Close)
	sum := md5.Sum(data)
	return Dataset{Name: "a", URL: s.URL + "/a.zip", Sum: hex.EncodeToString(sum[:]), First: "a/ratings.dat",
		Read: "read FILE"}, asked
}

// An archive is fetched once, from where a part of it ends, and unpacked.
func TestGet(t *testing.T) {
	data := archived(t, "a/", "", "a/README", "terms", "a/ratings.dat", "1::2::3\n")
	d, asked := served(t, data)
	folder := filepath.Join(t.TempDir(), "new")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.zip.part"), data[:40], 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		read, err := d.Get(context.Background(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(strings.TrimPrefix(read, "read ")); err != nil || string(text) != "1::2::3\n" {
			t.Errorf("%s: %q, %v", read, text, err)
		}
	}
	if len(*asked) != 1 || (*asked)[0] != "bytes=40-" {
		t.Errorf("asked for %q", *asked)
	}
	if _, err := os.Stat(filepath.Join(folder, "a.zip.part")); err == nil {
		t.Error("the part is still there")
	}
}

// Where only sums of files are known, an archive with these files is good.
func TestGetByFiles(t *testing.T) {
	d, _ := served(t, archived(t, "mfeat", "x", "other", "y"))
	sum := sha256.Sum256([]byte("x"))
	d.Sum, d.Files = "", map[string]string{"mfeat": hex.EncodeToString(sum[:])}
	d.Read = "read FOLDER"
	folder := t.TempDir()
	if read, err := d.Get(context.Background(), folder); err != nil || read != "read "+folder {
		t.Errorf("%s, %v", read, err)
	}
	for _, d := range All {
		if (d.Sum == "") == (len(d.Files) == 0) {
			t.Errorf("%s has %q and %d sums of files", d.Name, d.Sum, len(d.Files))
		}
	}
}

// Data that are not the owner's are refused: a wrong archive, one with files outside of the folder, and none at all.
func TestRefuses(t *testing.T) {
	d, _ := served(t, archived(t, "a/ratings.dat", "1::2::3\n"))
	d.Sum = strings.Repeat("0", 32)
	if _, err := d.Get(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a wrong checksum: %v", err)
	}
	d.Sum = strings.Repeat("0", 64)
	if _, err := d.Get(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a wrong checksum: %v", err)
	}
	d.Sum, d.Files = "", map[string]string{"a/ratings.dat": strings.Repeat("0", 64)}
	_, err := d.Get(context.Background(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "a/ratings.dat: has the SHA-256") {
		t.Errorf("a wrong checksum of a file: %v", err)
	}
	d.Files = map[string]string{"a/README": strings.Repeat("0", 64)}
	if _, err := d.Get(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "README") {
		t.Errorf("a file that is not there: %v", err)
	}
	d, _ = served(t, archived(t, "../ratings.dat", "1::2::3\n"))
	if _, err := d.Get(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a file outside: %v", err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	folder := t.TempDir()
	d.URL = gone.URL + "/a.zip"
	want := "put it to " + filepath.Join(folder, "a.zip")
	if _, err := d.Get(context.Background(), folder); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without a server: %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
}
