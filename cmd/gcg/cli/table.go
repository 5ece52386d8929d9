package cli

import (
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/spf13/pflag"
)

// TableFlags say how the file of a matrix is to be read.
type TableFlags struct {
	decimal   Decimal
	transpose bool
}

// Fields are where the values of flags are kept.
func (t *TableFlags) Fields() Fields { return Fields{"decimal": &t.decimal, "transpose": &t.transpose} }

// Reader reads as the flags say.
func (t *TableFlags) Reader() dataset.MatrixReader {
	return dataset.MatrixReader{Decimal: byte(t.decimal), Transpose: t.transpose}
}

// values are one value that is kept in several places.
type values []pflag.Value

// Set keeps a value everywhere.
func (v values) Set(text string) error {
	for _, p := range v {
		if err := p.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// String is the value.
func (v values) String() string {
	if len(v) == 0 {
		return ""
	}
	return v[0].String()
}

// Type is what the help calls it.
func (v values) Type() string { return v[0].Type() }
