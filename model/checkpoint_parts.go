package model

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A checkpoint of several ranks is a file for each, with some of the rows of U and V, and one that names them: the first rank
// writes it when all others are written. So whatever breaks off leaves the last checkpoint as it was. The files of one have a tag
// of their own in their names.

// partsFormat is that of the file that names the others, and partFormat that of these.
const (
	partsFormat = "gcg-checkpoint-parts"
	partFormat  = "gcg-checkpoint-part"
)

// partName is the file of a rank, from 0.
func partName(name, tag string, rank, ranks int) string {
	return fmt.Sprintf("%s.%s.%d-of-%d", name, tag, rank+1, ranks)
}

// Save writes the checkpoint to a file, in the place of an older one. Ranks write a part each, of one checkpoint that all have or
// of which each has its rows. They call it together, and have the same error.
func (c *Checkpoint) Save(name string, ranks *cluster.Comm) error {
	if ranks.Size() == 1 {
		if err := atomicfile.Write(name, c.Write); err != nil {
			return err
		}
		removeParts(name, "")
		return nil
	}
	c, err := c.checked() // the same on all ranks
	if err != nil {
		return fmt.Errorf("%s: not written: %w", name, err)
	}
	tag := cluster.Texts(ranks, fmt.Sprintf("%016x", rand.Uint64()))[0]
	part := partName(name, tag, ranks.Rank(), ranks.Size())
	err = ranks.FirstError(atomicfile.Write(part, func(w io.Writer) error { return c.writePart(w, tag, ranks) }))
	if err == nil {
		if ranks.Rank() == 0 {
			err = atomicfile.Write(name, func(w io.Writer) error { return c.writeNames(w, tag, ranks.Size()) })
		}
		err = ranks.FirstError(err)
	}
	if err != nil {
		os.Remove(part)
		return err
	}
	removeParts(name, tag)
	return nil
}

// removeParts removes the parts of other checkpoints of this name, which nothing names any more.
func removeParts(name, tag string) {
	folder := filepath.Dir(name)
	files, err := os.ReadDir(folder)
	if err != nil {
		return // they only take room
	}
	for _, f := range files {
		of, rest, ok := cutTag(f.Name(), filepath.Base(name))
		if ok && of != tag && rest != "" {
			os.Remove(filepath.Join(folder, f.Name()))
		}
	}
}

// cutTag is the tag of a part of a checkpoint called name, and which part it is.
func cutTag(file, name string) (tag, part string, ok bool) {
	var rank, ranks int
	from := len(name) + 1
	if len(file) < from+17 || file[:len(name)] != name {
		return "", "", false
	}
	tag, part = file[from:from+16], file[from+17:]
	if n, err := fmt.Sscanf(part, "%d-of-%d", &rank, &ranks); err != nil || n != 2 || file != partName(name, tag, rank-1, ranks) {
		return "", "", false
	}
	_, err := strconv.ParseUint(tag, 16, 64)
	return tag, part, err == nil
}

// writePart writes the rows of this rank.
func (c *Checkpoint) writePart(w io.Writer, tag string, ranks *cluster.Comm) error {
	rows := func(name string, of int, x []float64, shared *cluster.Rows) tensor {
		if shared != nil { // x has the rows of this rank
			lo, hi := shared.OwnRows()
			return tensor{name: name, shape: []int{hi - lo, c.Rank}, f64: x}
		}
		lo, hi := par.Range(ranks.Rank(), ranks.Size(), of)
		return tensor{name: name, shape: []int{hi - lo, c.Rank}, f64: x[lo*c.Rank : hi*c.Rank]}
	}
	return encode(w, map[string]string{"format": partFormat, "format_version": "1", "tag": tag},
		[]tensor{rows("u", c.Rows, c.U, c.users), rows("v", c.Cols, c.V, c.items)})
}

// writeNames writes all but U and V.
func (c *Checkpoint) writeNames(w io.Writer, tag string, ranks int) error {
	without := &Checkpoint{Rank: c.Rank, Terms: c.Terms, Progress: c.Progress}
	return without.encodeAs(w, map[string]string{"format": partsFormat, "tag": tag, "parts": strconv.Itoa(ranks)})
}

// withParts has the rows of U and V from the files that a checkpoint names, in place of none: those of this rank where ranks
// share them.
func withParts(name string, meta map[string]string, t map[string]tensor, users, items *cluster.Rows) error {
	ranks, err := strconv.Atoi(meta["parts"])
	if err != nil || ranks < 1 {
		return fmt.Errorf("is damaged: it has %q parts", meta["parts"])
	}
	u, v := t["u"], t["v"]
	for rank := range ranks {
		file := partName(name, meta["tag"], rank, ranks)
		of, part, err := decode(file, ownRows(users, items, u.rows(), v.rows()))
		if err != nil {
			return fmt.Errorf("is a checkpoint of %d ranks, of which a file cannot be read: %w", ranks, err)
		}
		for _, side := range []*tensor{&u, &v} {
			more := part[side.name]
			if of["format"] != partFormat || of["tag"] != meta["tag"] || len(more.shape) != 2 || len(side.shape) != 2 ||
				more.shape[1] != side.shape[1] {
				return fmt.Errorf("is damaged: %s is no part of it", file)
			}
			side.shape[0] += more.shape[0]
			side.f64 = append(side.f64, more.f64...)
		}
	}
	t["u"], t["v"] = u, v
	meta["format"] = checkpointFormat
	return nil
}
