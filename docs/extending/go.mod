module example.org/extending

go 1.26.0

require github.com/seed-b18ef778/gcg v0.0.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/seed-b18ef778/gcg => ../..
