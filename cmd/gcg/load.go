package main

import (
	"strconv"

	"github.com/seed-b18ef778/gcg/model"
)

// loadModel reads a model; rows and columns that a library saved without ids are called 1, 2, 3, …
func loadModel(name string) (*model.Model, error) {
	m, err := model.Load(name)
	if err != nil {
		return nil, err
	}
	m.RowIDs, m.ColIDs = named(m.RowIDs, m.Rows), named(m.ColIDs, m.Cols)
	return m, nil
}

func named(ids []string, n int) []string {
	for i := len(ids); i < n; i++ {
		ids = append(ids, strconv.Itoa(i+1))
	}
	return ids
}
