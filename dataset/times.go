package dataset

import (
	"math"
	"strconv"
	"time"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// A clockReader reads a column of times, all of them written in one way: numbers, as seconds or milliseconds since 1970 are,
// dates without marks (20051214), or ISO 8601 with or without a time of day, a fraction and a zone. The first of them says which.
type clockReader struct {
	kind  timeKind
	times chunkList[int64]
	fine  bool // some time has a fraction of a second: all are in microseconds
}

type timeKind int

const (
	unknownTime timeKind = iota
	numberTime
	plainDate
	isoTime
)

// perSecond is the number of units of a time with a fraction.
const perSecond = 1_000_000

// push reads the next time; it is false for what is none, or none as those before it.
func (c *clockReader) push(b []byte) bool {
	kind := c.kind
	if kind == unknownTime {
		kind = kindOf(b)
	}
	whole, micros, ok := int64(0), int64(0), false
	switch kind {
	case numberTime:
		whole, micros, ok = numberOf(b)
	case plainDate:
		whole, ok = dateOf(b)
	case isoTime:
		whole, micros, ok = isoOf(b)
	}
	if !ok {
		return false
	}
	c.kind = kind
	if micros != 0 && !c.fine {
		c.refine()
	}
	if c.fine {
		whole = whole*perSecond + micros
	}
	c.times.push(whole)
	return true
}

// refine turns the times so far into microseconds.
func (c *clockReader) refine() {
	c.fine = true
	for _, chunk := range c.times.chunks {
		for e := range chunk {
			chunk[e] *= perSecond
		}
	}
}

// kindOf is how a time is written.
func kindOf(b []byte) timeKind {
	if _, ok := dateOf(b); ok {
		return plainDate
	}
	if _, _, ok := numberOf(b); ok {
		return numberTime
	}
	return isoTime
}

// numberOf reads a number, whole or with a fraction.
func numberOf(b []byte) (whole, micros int64, ok bool) {
	if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return v, 0, true
	}
	x, ok := text.WholeNumber(b)
	if !ok || !(math.Abs(x) < math.MaxInt64/2/perSecond) {
		return 0, 0, false
	}
	floor := math.Floor(x)
	return int64(floor), int64((x - floor) * perSecond), true
}

// dateOf reads a date of eight digits. A month or a day may be 00, where it is not known.
func dateOf(b []byte) (int64, bool) {
	if len(b) != 8 {
		return 0, false
	}
	v, n := text.ScanIndex(b)
	year, month, day := v/10000, v/100%100, v%100
	if n != 8 || year < 1900 || year > 2100 || month > 12 || day > 31 {
		return 0, false
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix(), true
}

// isoOf reads YYYY-MM-DD, with - or /, and behind a T or a blank HH:MM, seconds, a fraction, and a zone: Z, UTC or ±HH:MM; UTC
// without one.
func isoOf(b []byte) (seconds, micros int64, ok bool) {
	digits := func(n int) int {
		if len(b) < n {
			ok = false
			return 0
		}
		v, k := text.ScanIndex(b[:n])
		ok = ok && k == n
		b = b[n:]
		return v
	}
	next := func(marks string) bool {
		for i := range len(marks) {
			if len(b) > 0 && b[0] == marks[i] {
				b = b[1:]
				return true
			}
		}
		return false
	}
	ok = true
	year := digits(4)
	ok = ok && next("-/")
	month := digits(2)
	ok = ok && next("-/")
	day := digits(2)
	if ok = ok && month >= 1 && month <= 12 && day >= 1 && day <= 31; !ok {
		return 0, 0, false
	}
	seconds = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()
	if len(b) == 0 {
		return seconds, 0, true
	}
	ok = next("T t")
	hour := digits(2)
	ok = ok && next(":")
	minute, second := digits(2), 0
	if next(":") {
		second = digits(2)
		if next(".,") {
			scale := int64(perSecond)
			for len(b) > 0 && b[0]-'0' <= 9 {
				if scale /= 10; scale > 0 {
					micros += scale * int64(b[0]-'0')
				}
				b = b[1:]
			}
		}
	}
	if ok = ok && hour <= 24 && minute < 60 && second <= 60; !ok {
		return 0, 0, false
	}
	offset, ok := zoneOf(b)
	return seconds + int64(hour*3600+minute*60+second) - offset, micros, ok
}

// zoneOf is the seconds that a zone is ahead of UTC.
func zoneOf(b []byte) (int64, bool) {
	b = text.TrimSpace(b)
	switch s := string(b); s {
	case "", "Z", "z", "UTC", "GMT":
		return 0, true
	}
	sign := int64(1)
	switch b[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, false
	}
	var d []byte
	for k, c := range b[1:] {
		switch {
		case c-'0' <= 9:
			d = append(d, c)
		case c != ':' || k != 2:
			return 0, false
		}
	}
	v, n := text.ScanIndex(d)
	if n == 2 {
		v *= 100
	} else if n != 4 {
		return 0, false
	}
	return sign * int64(v/100*3600+v%100*60), v/100 <= 15 && v%100 < 60
}
