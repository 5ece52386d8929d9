package main

import (
	"encoding/binary"
	"hash/crc64"
	"strconv"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/task"
)

// parseGauge reads --gauge, or with square the word of a gauge of symmetric matrices, too, which W is not.
func parseGauge(word string, square bool) (task.GaugeWord, error) {
	g, err := task.ParseGauge(word, square)
	if err != nil {
		return g, usageError{err}
	}
	return g, nil
}

// gaugeFile is the file that --gauge names, or none.
func (f *runFlags) gaugeFile() string {
	word, _ := parseGauge(f.gauge, false)
	return word.File
}

// fileChecksum tells apart the groups or weights that a gauge has from its file.
func fileChecksum(k gcg.Gauge) string {
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	add := func(x any) { _ = binary.Write(sum, binary.LittleEndian, x) } // a hash takes everything
	switch k := k.(type) {
	case gauge.Group:
		for _, group := range k.Index {
			add(int64(len(group)))
			add(group)
		}
		add(k.Weights)
	case gauge.L1:
		add(k.Weights)
	}
	return strconv.FormatUint(sum.Sum64(), 16)
}
