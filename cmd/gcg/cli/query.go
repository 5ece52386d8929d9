package cli

import (
	"github.com/seed-b18ef778/gcg/dataset"
	_ "github.com/seed-b18ef778/gcg/dataset/sql" // names of databases
)

// ReadQueried reads ratings from a file, or from a database those of a query.
func ReadQueried(r dataset.RatingsReader, name, query string) (*dataset.Ratings, error) {
	if f, _ := dataset.ColumnsOf(name); f.Queried {
		r.Query = query
	}
	return r.ReadRatings(name)
}

// CheckQuery refuses a query without a database among the names, a database without a query, and one query for two databases.
func CheckQuery(query string, names ...string) error {
	count := 0
	for _, name := range names {
		if f, _ := dataset.ColumnsOf(name); f.Queried {
			count++
		}
	}
	switch {
	case query != "" && count == 0:
		return Usagef("--query: chooses rows of a database, and none is named: postgres://… or sqlite:FILE")
	case query == "" && count > 0:
		return Usagef("a database needs --query, as in --query 'select user_id, item_id, rating from …'")
	case count > 1:
		return Usagef("--query: is of one database, and %d are named; give the others as files", count)
	}
	return nil
}
