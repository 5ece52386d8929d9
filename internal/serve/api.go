package serve

import (
	_ "embed" // of the description
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/seed-b18ef778/gcg/model"
)

//go:embed openapi.json
var description []byte

// A route is a path of the description with what answers it.
type route struct {
	method, path string
	public       bool // needs no token
	open         bool // is answered while draining and however many others run
	answer       func(*call) *problem
}

// table are all routes.
func (s *Server) table() []route {
	metrics := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})
	return []route{
		{http.MethodGet, "/v1/users/{id}/recommendations", false, false, (*call).user},
		{http.MethodPost, "/v1/recommendations", false, false, (*call).newcomer},
		{http.MethodPost, "/v1/predictions", false, false, (*call).predictions},
		{http.MethodGet, "/v1/items/{id}/similar", false, false, (*call).similar},
		{http.MethodGet, "/v1/model", false, false, func(c *call) *problem { return c.json(c.catalog.card()) }},
		{http.MethodGet, "/healthz", true, true, func(c *call) *problem { return c.json(state{"alive"}) }},
		{http.MethodGet, "/readyz", true, true, (*call).ready},
		{http.MethodGet, "/metrics", false, true, func(c *call) *problem { metrics.ServeHTTP(c.w, c.r); return nil }},
		{http.MethodGet, "/openapi.json", true, true, func(c *call) *problem { return c.bytes("application/json", description) }},
		{http.MethodGet, "/", true, true, (*call).page},
	}
}

// find is the route of a path, as it is escaped, with the id in it; nil of none.
func (s *Server) find(path string) (*route, string) {
	for k := range s.routes {
		before, behind, variable := strings.Cut(s.routes[k].path, "{id}")
		if !variable {
			if path == before {
				return &s.routes[k], ""
			}
			continue
		}
		middle, ok := strings.CutPrefix(path, before)
		if middle, ok = cutSuffix(middle, behind, ok); !ok || strings.Contains(middle, "/") {
			continue
		}
		if id, err := url.PathUnescape(middle); err == nil && id != "" {
			return &s.routes[k], id
		}
	}
	return nil, ""
}

func cutSuffix(text, suffix string, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, suffix)
}

// A call is a request that is being answered, by one catalog.
type call struct {
	s       *Server
	catalog *Catalog
	w       http.ResponseWriter
	r       *http.Request
	id      string // of the path
}

type state struct {
	Status string `json:"status"`
}

// json answers with a value.
func (c *call) json(v any) *problem {
	body, err := json.Marshal(v)
	if err != nil {
		return problemf(http.StatusInternalServerError, "the answer cannot be written: %v", err)
	}
	return c.bytes("application/json", body)
}

func (c *call) bytes(kind string, body []byte) *problem {
	h := c.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	if c.r.Method != http.MethodHead {
		c.w.Write(body)
	}
	return nil
}

func (c *call) page() *problem {
	// what the policy in the page cannot say of itself
	c.w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	return c.bytes("text/html; charset=utf-8", lookPage)
}

func (c *call) ready() *problem {
	if c.s.draining.Load() {
		return problemf(http.StatusServiceUnavailable, "the server is ending")
	}
	return c.json(state{"ready"})
}

// A listed item is one of a list, with what carries it where that is asked for.
type listedItem struct {
	Item    string    `json:"item"`
	Score   float64   `json:"score"`
	Title   string    `json:"title,omitempty"`
	Because []because `json:"because,omitempty"`
}

// because is a rated item and what it adds to a score.
type because struct {
	Item         string  `json:"item"`
	Contribution float64 `json:"contribution"`
	Title        string  `json:"title,omitempty"`
}

type list struct {
	User    string       `json:"user,omitempty"`
	Items   []listedItem `json:"items"`
	Known   bool         `json:"known"`
	Unknown []string     `json:"unknown_items,omitempty"` // which were rated, and the model does not have
	Because []because    `json:"because,omitempty"`       // of all of the list
}

// reasons is how many rated items an explanation names.
const reasons = 5

// user answers with the list of a known user.
func (c *call) user() *problem {
	q, p := c.query("top", "explain")
	if p != nil {
		return p
	}
	r := c.catalog.Recommender.With(q.top)
	top, err := r.User(c.id)
	if err != nil {
		return problemf(http.StatusNotFound, "%v; POST /v1/recommendations takes the ratings of new users", err)
	}
	var why [][]model.Contribution
	if q.explain {
		if why, err = r.ExplainUser(c.id, top); err != nil {
			return problemf(http.StatusBadRequest, "explain: %v", err)
		}
	}
	a := c.list(top, why)
	a.User, a.Known = c.id, true
	return c.json(a)
}

// list names the items of a list.
func (c *call) list(top []model.Recommendation, why [][]model.Contribution) *list {
	ids := c.catalog.Recommender.Model.ColIDs
	a := &list{Items: make([]listedItem, len(top))}
	for k, t := range top {
		id := ids[t.Item]
		a.Items[k] = listedItem{Item: id, Score: t.Score, Title: c.catalog.Titles[id]}
		if why != nil {
			a.Items[k].Because = c.because(why[k])
		}
	}
	if why != nil {
		a.Because = c.because(model.Carrying(why))
	}
	return a
}

func (c *call) because(why []model.Contribution) []because {
	ids := c.catalog.Recommender.Model.ColIDs
	named := make([]because, min(len(why), reasons))
	for k := range named {
		id := ids[why[k].Item]
		named[k] = because{id, why[k].Value, c.catalog.Titles[id]}
	}
	return named
}

type newcomer struct {
	Ratings  []rated  `json:"ratings"`
	AlsoSeen []string `json:"also_seen"`
	Top      *int     `json:"top"`
	Explain  bool     `json:"explain"`
}

// newcomer answers with the list of somebody whom the model does not know.
func (c *call) newcomer() *problem {
	if _, p := c.query(); p != nil {
		return p
	}
	var ask newcomer
	if p := c.body(&ask); p != nil {
		return p
	}
	top := 10
	if ask.Top != nil {
		top = *ask.Top
	}
	if p := c.checkTop(top); p != nil {
		return p
	}
	who, unknown, p := c.newUser(ask.Ratings)
	if p != nil {
		return p
	}
	if p := c.alsoSeen(&who, ask.AlsoSeen); p != nil {
		return p
	}
	r := c.catalog.Recommender.With(top)
	items, err := r.FoldIn(who)
	var why [][]model.Contribution
	if err == nil && ask.Explain {
		why, err = r.Explain(who, items)
	}
	if err != nil {
		return problemf(http.StatusBadRequest, "%v", err)
	}
	a := c.list(items, why)
	a.Unknown = unknown
	return c.json(a)
}

type pair struct {
	User string `json:"user"`
	Item string `json:"item"`
}

type prediction struct {
	pair
	Score float64 `json:"score"`
	Known bool    `json:"known"`
}

// predictions answers with the predictions of pairs; known are those of which the model has user and item.
func (c *call) predictions() *problem {
	if _, p := c.query(); p != nil {
		return p
	}
	var ask struct {
		Pairs []pair `json:"pairs"`
	}
	if p := c.body(&ask); p != nil {
		return p
	}
	if most := c.s.opt.MaxEntries; len(ask.Pairs) > most {
		return problemf(http.StatusBadRequest, "there are %d pairs; a request has at most %d", len(ask.Pairs), most)
	}
	r := c.catalog.Recommender
	a := struct {
		Predictions []prediction `json:"predictions"`
	}{make([]prediction, len(ask.Pairs))}
	for k, of := range ask.Pairs {
		i, j := r.Users().Find([]byte(of.User)), r.Items().Find([]byte(of.Item))
		a.Predictions[k] = prediction{of, r.Model.Predict(int(i), int(j)), i >= 0 && j >= 0}
	}
	return c.json(a)
}

type similarItem struct {
	Item       string  `json:"item"`
	Similarity float64 `json:"similarity"`
	Title      string  `json:"title,omitempty"`
}

// similar answers with the items most like one.
func (c *call) similar() *problem {
	q, p := c.query("top")
	if p != nil {
		return p
	}
	r := c.catalog.Recommender
	j := r.Items().Find([]byte(c.id))
	if j < 0 {
		return problemf(http.StatusNotFound, "item %q is not in the model", c.id)
	}
	like := r.Similar(int(j), q.top)
	a := struct {
		Item  string        `json:"item"`
		Title string        `json:"title,omitempty"`
		Items []similarItem `json:"items"`
	}{c.id, c.catalog.Titles[c.id], make([]similarItem, len(like))}
	for k, l := range like {
		id := r.Model.ColIDs[l.Item]
		a.Items[k] = similarItem{id, l.Score, c.catalog.Titles[id]}
	}
	return c.json(a)
}
