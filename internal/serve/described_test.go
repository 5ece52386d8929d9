package serve_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/seed-b18ef778/gcg/internal/serve"
)

// A described server holds each request and answer against the description.
type described struct {
	*serve.Server
	t      testing.TB
	router routers.Router
}

func describe(t testing.TB, s *serve.Server) *described {
	t.Helper()
	text := httptest.NewRecorder()
	s.ServeHTTP(text, httptest.NewRequest("GET", "/openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(text.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &described{s, t, router}
}

// ask answers a request; a good one, and each answer to one that the description has, must be as described.
func (d *described) ask(method, path, body string, header ...string) (status int, answer map[string]any, raw *http.Response) {
	d.t.Helper()
	request := func() *http.Request {
		r := httptest.NewRequest(method, "http://h"+path, strings.NewReader(body))
		if method == "POST" {
			r.Header.Set("Content-Type", "application/json")
		}
		for k := 0; k+1 < len(header); k += 2 {
			r.Header.Set(header[k], header[k+1])
		}
		return r
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, request())
	raw = w.Result()
	text := w.Body.Bytes()
	json.Unmarshal(text, &answer)
	route, params, err := d.router.FindRoute(request())
	if err != nil {
		if w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed && method != "HEAD" {
			d.t.Errorf("%s %s: answered %d, but the description has no such path: %v", method, path, w.Code, err)
		}
		return w.Code, answer, raw
	}
	in := &openapi3filter.RequestValidationInput{Request: request(), PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true}}
	if err := openapi3filter.ValidateRequest(d.t.Context(), in); (err != nil) && w.Code == http.StatusOK {
		d.t.Errorf("%s %s: the description refuses the request, which is answered: %v", method, path, err)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: w.Code, Header: w.Header(),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	out.SetBodyBytes(text)
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/") || method == "HEAD" {
		return w.Code, answer, raw
	}
	if err := openapi3filter.ValidateResponse(d.t.Context(), out); err != nil {
		d.t.Errorf("%s %s: the answer is not as described: %v\n%s", method, path, err, text)
	}
	return w.Code, answer, raw
}

func items(answer map[string]any, of string) (names []string) {
	list, _ := answer["items"].([]any)
	for _, i := range list {
		names = append(names, i.(map[string]any)[of].(string))
	}
	return names
}
