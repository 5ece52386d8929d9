// Package text scans lines, fields and decimal numbers out of large text files, without a copy of what it scans.
package text
