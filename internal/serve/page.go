package serve

import (
	"bytes"
	_ "embed" // of its script and style

	"github.com/seed-b18ef778/gcg/internal/report/page"
)

// The page looks users and items up by the requests that anybody may send. It has no data of its own.
var (
	//go:embed look.js
	lookScript string
	//go:embed look.css
	lookStyle string
)

const lookForm = `<form id="ask">
<label><span hidden>what</span><select id="what" aria-label="what to look up"><option value="user">user</option>` +
	`<option value="item">item</option></select></label>
<input id="id" required placeholder="id" aria-label="id" autocomplete="off" spellcheck="false">
<label>top <input id="top" type="number" min="1" max="1000" value="10"></label>
<label><input id="why" type="checkbox"> why</label>
<label id="tokens" hidden>token <input id="token" type="password" autocomplete="off"></label>
<button class="plain">look up</button>
</form>
<p id="error" role="alert"></p>
`

// lookPage is the page at /.
var lookPage = func() []byte {
	list := page.Table{ID: "list", Heads: []string{"#", "item", "score", "because of"}, Numbers: []bool{true, false, true, false}}
	body := "<header><h1>gcg serve</h1></header>\n<main>\n" +
		page.Section("", "Look up", lookForm) +
		`<section class="card" id="answer" hidden><h2 id="heading"></h2>` + list.HTML() + "</section>\n" +
		page.Section("", "The model", `<dl class="facts" id="card"></dl>`) + "</main>"
	var b bytes.Buffer
	p := page.Page{Title: "gcg serve", Body: body, Styles: []string{lookStyle}, Connects: true,
		Scripts: []string{lookScript}}
	if err := p.Write(&b); err != nil {
		panic("serve: its page: " + err.Error()) // which has no data that could not be written
	}
	return b.Bytes()
}()
