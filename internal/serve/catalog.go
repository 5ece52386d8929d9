package serve

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/seed-b18ef778/gcg/model"
)

// A Catalog is what is served until the next one is loaded: a model with what belongs to it. It must not change afterwards.
type Catalog struct {
	Recommender *model.Recommender
	Titles      map[string]string // of items, by id
	Fitted      time.Time         // when the model was written
}

// Check refuses what cannot be served: a model of something else than completion, or ids that are no text.
func (c *Catalog) Check() error {
	m := c.Recommender.Model
	if m.Problem != "completion" {
		return fmt.Errorf("is a model of %s; what is served is one of completion", m.Problem)
	}
	for _, ids := range [][]string{m.RowIDs, m.ColIDs} {
		for _, id := range ids {
			if !utf8.ValidString(id) {
				return fmt.Errorf("the id %q is no UTF-8 text, which JSON is made of", id)
			}
		}
	}
	return nil
}

// A Card is what the model says of itself.
type Card struct {
	Problem      string   `json:"problem"`
	Users        int      `json:"users"`
	Items        int      `json:"items"`
	Rank         int      `json:"rank"`
	Lambda       float64  `json:"lambda,omitempty"`
	Zeta         float64  `json:"zeta,omitempty"`
	Objective    float64  `json:"objective"`
	LowerBound   *float64 `json:"lower_bound,omitempty"`
	RelativeGap  *float64 `json:"relative_gap,omitempty"`
	Certificate  string   `json:"certificate,omitempty"`
	Observations int      `json:"observations,omitempty"`
	Loss         string   `json:"loss,omitempty"`
	Center       string   `json:"center,omitempty"`
	Weights      string   `json:"weights,omitempty"`
	Solver       string   `json:"solver,omitempty"`
	Status       string   `json:"status,omitempty"`
	Version      string   `json:"version,omitempty"`
	Data         string   `json:"data,omitempty"`
	DataChecksum string   `json:"data_checksum,omitempty"`
	Fitted       string   `json:"fitted,omitempty"` // RFC 3339
}

func (c *Catalog) card() Card {
	m, i := c.Recommender.Model, &c.Recommender.Model.Info
	card := Card{Problem: m.Problem, Users: m.Rows, Items: m.Cols, Rank: m.Rank, Lambda: i.Lambda, Zeta: i.Zeta,
		Objective: i.Objective, LowerBound: i.LowerBound, RelativeGap: i.RelativeGap, Certificate: i.Certificate,
		Observations: i.Observations, Loss: i.Loss, Center: i.Center, Weights: i.Weights, Solver: i.Solver, Status: i.Status,
		Version: i.Version, Data: i.Data, DataChecksum: i.Checksum}
	if !c.Fitted.IsZero() {
		card.Fitted = c.Fitted.UTC().Format(time.RFC3339)
	}
	return card
}
