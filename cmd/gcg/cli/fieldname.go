package cli

import (
	"strings"
	"unicode"

	"github.com/seed-b18ef778/gcg/internal/param"
)

// otherwise are the flags of fields that have another name.
var otherwise = map[param.Name]string{param.Narrow: "float32"}

// ErrorText is an error of the library with the flags of the fields that it names.
func ErrorText(err error) string {
	return param.Text(err, func(field param.Name) string { return "--" + flagOf(field) })
}

// flagOf is the flag of a field: LambdaRatio is lambda-ratio.
func flagOf(field param.Name) string {
	if name, is := otherwise[field]; is {
		return name
	}
	var b strings.Builder
	for at, r := range string(field) {
		if unicode.IsUpper(r) && at > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
