//go:build unix

package dataset

import (
	"archive/zip"
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe of an .npz is copied: opening it again would wait for another writer for ever, once the first has gone.
func TestPipeOfNPZ(t *testing.T) {
	b := npz(zip.Deflate, "x.npy", npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", []float64{3, 4},
		binary.LittleEndian))
	read := make(chan error)
	for range 20 {
		name := filepath.Join(t.TempDir(), "x.npz")
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
				f.Write(b)
				f.Close()
			}
		}()
		go func() {
			_, err := ReadMatrix(name, nil)
			read <- err
		}()
		select {
		case err := <-read:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it waits")
		}
	}
}
