package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// words are the values of a list with blanks between them.
func words(list string) Check {
	return func(value string) string {
		if Contains(list, value) {
			return ""
		}
		return "there are " + strings.ReplaceAll(list, " ", ", ")
	}
}

// numbers are those for which ok holds; allowed says which they are.
func numbers(allowed string, ok func(x float64) bool) Check {
	return func(value string) string {
		if x, err := strconv.ParseFloat(value, 64); err == nil && ok(x) && !math.IsInf(x, 0) {
			return ""
		}
		return allowed
	}
}

// atLeast are the whole numbers from least on.
func atLeast(least int) Check {
	allowed := fmt.Sprintf("at least %d", least)
	if least == 0 {
		allowed = "not negative"
	}
	return numbers(allowed, func(x float64) bool { return x >= float64(least) })
}

// positive numbers; what says what they are.
func positive(what string) Check {
	return numbers(what+" is a positive number", func(x float64) bool { return x > 0 })
}

// notNegative numbers; allowed says what 0 is.
func notNegative(allowed string) Check {
	return numbers(allowed, func(x float64) bool { return x >= 0 })
}

// picture is a file that a plot can be drawn to.
func picture(name string) string {
	if Contains("svg png pdf", PlotFormat(name)) {
		return ""
	}
	return "a file that ends in .svg, .png or .pdf"
}

// pageOrPicture is a file that a plot can be drawn to, or a page.
func pageOrPicture(name string) string {
	if Contains("html svg png pdf", PlotFormat(name)) {
		return ""
	}
	return "a file that ends in .html, .svg, .png or .pdf"
}

// A fraction lies between 0 and 1.
var (
	fraction = numbers("a fraction between 0 and 1", within)
	between  = numbers("a number between 0 and 1", within)
	// atMostOne is 0 for what is usual.
	atMostOne = numbers("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
)

func within(x float64) bool { return x > 0 && x < 1 }

// processors are how many of them a run may use.
var processors = numbers("from 1 to 4096", func(x float64) bool { return x >= 1 && x <= 4096 })
