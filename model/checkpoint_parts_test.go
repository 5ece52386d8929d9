package model

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
)

// A checkpoint that ranks have written by parts is the one that one process writes. Only the files of the last one are left, and
// where one of these cannot be written the last one stays.
func TestCheckpointByParts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "my.ckpt")
	at := func(iteration int) *Checkpoint {
		c := &Checkpoint{Rows: 5, Cols: 3, Rank: 2, Progress: Progress{Iteration: iteration, Problem: "p"}}
		for i := range c.Rows * c.Rank {
			c.U = append(c.U, float64(i+iteration))
		}
		for j := range c.Cols * c.Rank {
			c.V = append(c.V, float64(j*j))
		}
		return c
	}
	save := func(ranks, iteration int) error {
		return cluster.InProcess(ranks, func(c *cluster.Comm) error { return at(iteration).Save(name, c) })
	}
	for iteration, ranks := range []int{2, 8, 1, 3} {
		if err := save(ranks, iteration); err != nil {
			t.Fatal(err)
		}
		files, _ := os.ReadDir(filepath.Dir(name))
		c, err := LoadCheckpoint(name)
		if err != nil || !reflect.DeepEqual(c, at(iteration)) || len(files) != 1+ranks*min(1, ranks-1) {
			t.Errorf("%d ranks: %v %+v, %v", ranks, err, c, files)
		}
	}
	err := cluster.InProcess(3, func(c *cluster.Comm) error {
		to := name
		if c.Rank() == 1 {
			to = filepath.Join(filepath.Dir(name), "none", "my.ckpt")
		}
		return notSaved(at(9).Save(to, c))
	})
	if c, lost := LoadCheckpoint(name); err != nil || lost != nil || c.Progress.Iteration != 3 {
		t.Errorf("%v, %v: %+v", err, lost, c)
	}
	parts, _ := filepath.Glob(name + ".*.2-of-3")
	if len(parts) != 1 {
		t.Fatal(parts)
	}
	other, err := os.ReadFile(strings.Replace(parts[0], ".2-of-3", ".1-of-3", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range [][]byte{other[:len(other)-1], nil} {
		os.Remove(parts[0])
		if of != nil {
			os.WriteFile(parts[0], of, 0o666)
		}
		if c, err := LoadCheckpoint(name); err == nil || !strings.Contains(err.Error(), "2-of-3") {
			t.Errorf("%v, %v", c, err)
		}
	}
}

// notSaved turns the error that is expected into none.
func notSaved(err error) error {
	if err == nil {
		return fmt.Errorf("it is saved")
	}
	return nil
}
