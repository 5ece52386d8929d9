package serve

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are what Prometheus reads.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	reloads  *prometheus.CounterVec
	running  prometheus.Gauge
}

func newMetrics(s *Server) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gcg_requests_total",
			Help: "Answered requests by route and status."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gcg_request_seconds",
			Help:    "Time from the head of a request to its answer.",
			Buckets: prometheus.ExponentialBucketsRange(1e-4, 10, 16)}, []string{"route"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gcg_reloads_total",
			Help: "Model files that were taken in, or refused."}, []string{"result"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "gcg_requests_running", Help: "Requests that are being answered."}),
	}
	of := func(name, help string, value func(c *Catalog) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(s.catalog.Load()) })
	}
	m.registry.MustRegister(m.requests, m.seconds, m.reloads, m.running,
		of("gcg_model_age_seconds", "Time since the model file was written.",
			func(c *Catalog) float64 { return time.Since(c.Fitted).Seconds() }),
		of("gcg_model_gap", "Objective less its lower bound, +Inf where none is known.",
			func(c *Catalog) float64 { return c.Recommender.Model.Info.Gap() }),
		of("gcg_model_relative_gap", "The gap over the objective, -1 where none is known.", func(c *Catalog) float64 {
			if gap := c.Recommender.Model.Info.RelativeGap; gap != nil {
				return *gap
			}
			return -1
		}),
		of("gcg_model_users", "Users of the model.", func(c *Catalog) float64 { return float64(c.Recommender.Model.Rows) }),
		of("gcg_model_items", "Items of the model.", func(c *Catalog) float64 { return float64(c.Recommender.Model.Cols) }),
		of("gcg_model_rank", "Rank of the model.", func(c *Catalog) float64 { return float64(c.Recommender.Model.Rank) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// answered counts a request.
func (m *metrics) answered(route string, status int, since time.Time) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(time.Since(since).Seconds())
}
