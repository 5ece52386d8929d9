package main

import "testing"

// Ratings in float32 give the optimum of those in float64, up to their rounding; the λ of --lambda-ratio is the same.
func TestFloat32(t *testing.T) {
	ratings(t)
	args := []string{"--train", "ratings.csv", "--split", "0.8", "--center", "global", "--lambda-ratio", "0.2", "--tol", "1e-5"}
	plain, compact := fitJSON(t, args...), fitJSON(t, append(args, "--float32")...)
	near(t, "λ", compact["lambda"], plain["lambda"].(float64), 1e-5*plain["lambda"].(float64))
	near(t, "the objective", compact["objective"], plain["objective"].(float64), 1e-4*plain["objective"].(float64))
	near(t, "the test RMSE", compact["test"].(map[string]any)["rmse"], plain["test"].(map[string]any)["rmse"].(float64), 1e-3)
	for _, r := range []map[string]any{plain, compact} {
		if r["observations"] != 960.0 || r["status"] != "converged" {
			t.Errorf("%v observations, %v", r["observations"], r["status"])
		}
	}
	rows(t)
	half := gcgJSON(t, "fit regression --features X.csv --targets y.csv --lambda-ratio 0.5")
	full := gcgJSON(t, "fit regression --features X.csv --targets y.csv --lambda-ratio 0.999999")
	near(t, "half of λ_max", half["lambda"], full["lambda"].(float64)/2, 1e-3)
	near(t, "the gauge at λ_max", full["gauge"], 0, 1e-3)
}
