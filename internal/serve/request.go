package serve

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/model"
)

// A query is what a URL asks behind its path.
type query struct {
	top     int
	explain bool
}

// query reads the parameters that a request may have.
func (c *call) query(allowed ...string) (query, *problem) {
	q := query{top: 10}
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return q, problemf(http.StatusBadRequest, "the query is no list of name=value: %v", err)
	}
	for name, given := range values {
		known := false
		for _, a := range allowed {
			known = known || a == name
		}
		if !known || len(given) != 1 {
			takes := "nothing"
			if len(allowed) > 0 {
				takes = strings.Join(allowed, " and ") + ", once each"
			}
			return q, problemf(http.StatusBadRequest, "the query has %q; it takes %s", name, takes)
		}
	}
	if text := values.Get("top"); values.Has("top") {
		if q.top, err = strconv.Atoi(text); err != nil {
			return q, problemf(http.StatusBadRequest, "top is %q; it is a whole number", text)
		}
	}
	if text := values.Get("explain"); values.Has("explain") {
		if q.explain, err = strconv.ParseBool(text); err != nil {
			return q, problemf(http.StatusBadRequest, "explain is %q; it is 1 or 0", text)
		}
	}
	return q, c.checkTop(q.top)
}

func (c *call) checkTop(top int) *problem {
	if most := c.s.opt.MaxTop; top < 1 || top > most {
		return problemf(http.StatusBadRequest, "top is %d; it is from 1 to %d", top, most)
	}
	return nil
}

// body reads JSON into v.
func (c *call) body(v any) *problem {
	d := json.NewDecoder(c.r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		}
		err = errors.New("something follows the object")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", large.Limit)
	case err == io.EOF:
		err = errors.New("it is empty")
	}
	return problemf(http.StatusBadRequest, "the body is not what the description has: %v", err)
}

// rated is an item with a rating: a number, a label of a model of labels, or none of a click.
type rated struct {
	Item   string          `json:"item"`
	Rating json.RawMessage `json:"rating"`
}

// newUser finds the items that were rated.
func (c *call) newUser(ratings []rated) (who model.NewUser, unknown []string, p *problem) {
	if most := c.s.opt.MaxEntries; len(ratings) > most {
		return who, nil, problemf(http.StatusBadRequest, "there are %d ratings; a request has at most %d", len(ratings), most)
	}
	r := c.catalog.Recommender
	clicks, met := r.Model.Info.Background > 0, map[int32]bool{}
	for k, one := range ratings {
		x, p := c.rating(k, one)
		if p != nil {
			return who, nil, p
		}
		j := r.Items().Find([]byte(one.Item))
		switch {
		case j < 0:
			unknown = append(unknown, one.Item)
			continue
		case met[j] && !clicks:
			return who, nil, problemf(http.StatusBadRequest, "ratings[%d]: item %q is already rated", k, one.Item)
		}
		met[j] = true
		who.Cols, who.Values = append(who.Cols, j), append(who.Values, x)
	}
	return who, unknown, nil
}

// alsoSeen adds items without ratings to the list of what somebody rated; those that the model does not have say nothing.
func (c *call) alsoSeen(who *model.NewUser, items []string) *problem {
	r := c.catalog.Recommender
	switch most := c.s.opt.MaxEntries; {
	case len(items) > most:
		return problemf(http.StatusBadRequest, "there are %d items in also_seen; a request has at most %d", len(items), most)
	case len(items) > 0 && r.Model.RowRated == nil:
		return problemf(http.StatusBadRequest, "also_seen: the model has no lists of what users rated")
	}
	for _, item := range items {
		if j := r.Items().Find([]byte(item)); j >= 0 {
			who.AlsoSeen = append(who.AlsoSeen, j)
		}
	}
	return nil
}

// rating is the number of rating k, of two labels its sign.
func (c *call) rating(k int, one rated) (x float64, p *problem) {
	m := c.catalog.Recommender.Model
	text := string(one.Rating)
	if two := m.TwoLabels(); two != nil {
		var label string
		if json.Unmarshal(one.Rating, &label) != nil {
			label = text
		}
		at := class.Among(two, label)
		if at < 0 {
			return 0, problemf(http.StatusBadRequest, "ratings[%d]: the rating is %.40q; it is %q or %q", k, label, two[0], two[1])
		}
		return float64(2*at - 1), nil
	}
	if m.Info.Background > 0 && (text == "" || text == "null") {
		return math.Max(1, m.Info.Positive), nil
	}
	if json.Unmarshal(one.Rating, &x) != nil || text == "null" {
		return 0, problemf(http.StatusBadRequest, "ratings[%d]: the rating is %.40q; it is a number", k, text)
	}
	if m.Info.Background > 0 && m.Info.Positive == 0 && x < 0 {
		return 0, problemf(http.StatusBadRequest, "ratings[%d]: the count is %v; counts are not negative", k, x)
	}
	return x, nil
}
