package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Version is set by the release build.
var Version = "0.2.0"

// A UsageError is the caller's wording, not the data: exit code 2.
type UsageError struct{ error }

// Usage makes an error one of usage.
func Usage(err error) error { return UsageError{err} }

// Usagef is an error of usage in words.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// FlagError says what a flag takes where its value does not parse, and which flag there is where there is none.
func FlagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		return unknownFlag(cmd, missing)
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	allowed, known := parsed[f.Value.Type()]
	if !known {
		allowed = invalid.Unwrap().Error() // a type of our own, in our words
	}
	return fmt.Errorf("--%s %q: %s", f.Name, invalid.GetValue(), allowed)
}

// parsed says what the types of flags take.
var parsed = map[string]string{"int": "a whole number", "uint64": "a whole number, not negative", "float64": "a finite number",
	"bool": "true or false", "duration": "a time, such as 20s or 5m", "intSlice": "whole numbers, such as 5,10,20",
	"stringSlice": "words between commas, with quotes in pairs"}

// NoArgs refuses arguments that are no flags.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes flags only, not %q; see gcg help %s", cmd.CommandPath(), args[0],
			strings.TrimPrefix(cmd.CommandPath(), "gcg "))
	}
	return nil
}
