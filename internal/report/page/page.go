// Package page is the skeleton of an HTML page that stands alone: one file, its style and its scripts in it, which asks the
// network for nothing. Reports and the page of a server share its looks. style.css is light or dark as the reader's system is,
// and for print; table.js sorts tables.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed style.css
var style string

// tables sorts each table of class "sortable" by a click on a heading, or by Enter on it.
//
//go:embed table.js
var tables string

// A Page is one HTML document. Body is HTML: everything in it that came from outside passes through Text. Scripts are run in
// their order after the body is read; each finds Data, as JSON, in the element "data".
type Page struct {
	Title   string // text
	Body    string // HTML
	Data    any    // for the scripts; nil is none
	Styles  []string
	Scripts []string
	// Connects says that scripts may ask the server that sent the page, and no other.
	Connects bool
}

// Write writes the document. A policy in its head allows its own scripts by their hashes, and nothing else: text that found its
// way around Text would not run.
func (p Page) Write(w io.Writer) error {
	var data bytes.Buffer
	if p.Data != nil {
		encoded := json.NewEncoder(&data) // which writes < as an escape, so that no value ends the element
		if err := encoded.Encode(p.Data); err != nil {
			return fmt.Errorf("page: its data: %w", err)
		}
	}
	scripts := append([]string{tables}, p.Scripts...)
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", p.policy(scripts))
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n")
	fmt.Fprintf(&b, "<title>%s</title>\n", Text(p.Title))
	for _, s := range append([]string{style}, p.Styles...) {
		fmt.Fprintf(&b, "<style>\n%s</style>\n", s)
	}
	fmt.Fprintf(&b, "</head>\n<body>\n%s\n", p.Body)
	if p.Data != nil {
		fmt.Fprintf(&b, "<script type=\"application/json\" id=\"data\">%s</script>\n", data.String())
	}
	for _, s := range scripts {
		fmt.Fprintf(&b, "<script>%s</script>\n", s)
	}
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// policy is the Content-Security-Policy of a page with these scripts.
func (p Page) policy(scripts []string) string {
	allowed := []string{"default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", "base-uri 'none'", "form-action 'none'"}
	hashes := "script-src"
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		hashes += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	allowed = append(allowed, hashes)
	if p.Connects {
		allowed = append(allowed, "connect-src 'self'")
	}
	return strings.Join(allowed, "; ")
}

// Text is a text as HTML, in an element or in a quoted attribute. What is not to be seen, such as a control character or one that
// turns the direction of writing, becomes �.
func Text(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) || r == '\u00a0' {
			return r
		}
		return utf8.RuneError
	}, s))
}

// A Table is a table that a click on a heading sorts by its column. Its cells are text; a column of numbers is set to the right
// and sorted by value.
type Table struct {
	ID      string // of the element, or ""
	Caption string
	Heads   []string
	Numbers []bool // columns of numbers; nil is none
	Rows    [][]string
}

// HTML is the element.
func (t Table) HTML() string {
	var b strings.Builder
	b.WriteString(`<div class="scroll"><table class="sortable"`)
	if t.ID != "" {
		fmt.Fprintf(&b, ` id="%s"`, Text(t.ID))
	}
	b.WriteString(">")
	if t.Caption != "" {
		fmt.Fprintf(&b, "<caption>%s</caption>", Text(t.Caption))
	}
	b.WriteString("<thead><tr>")
	class := func(j int) string {
		if j < len(t.Numbers) && t.Numbers[j] {
			return ` class="number"`
		}
		return ""
	}
	for j, h := range t.Heads {
		fmt.Fprintf(&b, `<th scope="col"%s><button type="button">%s</button></th>`, class(j), Text(h))
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for j, cell := range row {
			fmt.Fprintf(&b, "<td%s>%s</td>", class(j), Text(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
	return b.String()
}

// Facts is a list of names and what they are, both text.
func Facts(facts [][2]string) string {
	var b strings.Builder
	b.WriteString(`<dl class="facts">`)
	for _, f := range facts {
		fmt.Fprintf(&b, "<div><dt>%s</dt><dd>%s</dd></div>\n", Text(f[0]), Text(f[1]))
	}
	b.WriteString("</dl>\n")
	return b.String()
}

// Section is a card with a heading; id may be "", and content is HTML.
func Section(id, heading, content string) string {
	at := ""
	if id != "" {
		at = fmt.Sprintf(` id="%s"`, Text(id))
	}
	return fmt.Sprintf("<section class=\"card\"%s><h2>%s</h2>\n%s</section>\n", at, Text(heading), content)
}

// Wide is a Section as wide as the page.
func Wide(heading, content string) string {
	return fmt.Sprintf("<section class=\"card wide\"><h2>%s</h2>\n%s</section>\n", Text(heading), content)
}
