package cluster

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// A Transport carries messages between ranks. All ranks call Exchange in the same order.
type Transport interface {
	// Rank is the number of this process, from 0, and Size how many there are.
	Rank() int
	Size() int
	// Exchange sends send[r] to every other rank r and fills recv[r] with what it sends here. The lengths agree on both sides. An
	// entry may be empty.
	Exchange(send, recv [][]byte) error
}

// A Comm is the ranks that work together. It serves one goroutine at a time.
type Comm struct {
	transport Transport
	mutex     sync.Mutex // says that a second goroutine came in between, which would mix messages
	ending    *ending    // of the context of Within, or nil
	sent      int64
}

// NewComm is the ranks behind a transport.
func NewComm(t Transport) *Comm { return &Comm{transport: t} }

// Rank is the number of this process, from 0. A nil Comm has rank 0.
func (c *Comm) Rank() int {
	if c == nil {
		return 0
	}
	return c.transport.Rank()
}

// Size is the number of ranks, at least 1.
func (c *Comm) Size() int {
	if c == nil {
		return 1
	}
	return c.transport.Size()
}

// Sent is how many bytes this rank has sent to others.
func (c *Comm) Sent() int64 {
	if c == nil {
		return 0
	}
	return c.sent
}

// A Lost is the panic of a collective call in which other ranks do not take part any more. Whoever runs ranks ends the job with
// it: there is nothing that a rank could do alone.
type Lost struct{ Err error }

func (l Lost) Error() string { return fmt.Sprintf("cluster: the ranks are apart: %v", l.Err) }

// Unwrap is what the transport says.
func (l Lost) Unwrap() error { return l.Err }

// exchange is that of the transport; a failure is the end of the job.
func (c *Comm) exchange(send, recv [][]byte) {
	if !c.mutex.TryLock() {
		panic(Lost{errors.New("two collective calls at once")})
	}
	defer c.mutex.Unlock()
	for r, b := range send {
		if r != c.Rank() {
			c.sent += int64(len(b))
		}
	}
	if err := c.transport.Exchange(send, recv); err != nil {
		panic(Lost{err})
	}
}

// bytesOf is the memory of x.
func bytesOf[T Number](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// A Real is what sums are made of.
type Real interface{ float32 | float64 }

// A Number is what lists of ranks are made of.
type Number interface {
	float32 | float64 | int32 | int64 | byte
}

// All has the list of every rank, by rank. Lists may differ in length; that of this rank is not copied.
func All[T Number](c *Comm, own []T) [][]T {
	if c.Size() == 1 {
		return [][]T{own}
	}
	lengths := make([]int64, c.Size())
	lengths[c.Rank()] = int64(len(own))
	c.fixed(lengths, 1)
	all, send, recv := make([][]T, c.Size()), make([][]byte, c.Size()), make([][]byte, c.Size())
	for r := range all {
		if r == c.Rank() {
			all[r] = own
			continue
		}
		all[r] = make([]T, lengths[r])
		send[r], recv[r] = bytesOf(own), bytesOf(all[r])
	}
	c.exchange(send, recv)
	return all
}

// Joined is the lists of all ranks one behind the other; of one rank its own.
func Joined[T Number](c *Comm, own []T) []T {
	if c.Size() == 1 {
		return own
	}
	return slices.Concat(All(c, own)...)
}

// fixed fills in what the other ranks have of a list with each numbers of every rank.
func (c *Comm) fixed(list []int64, each int) {
	send, recv := make([][]byte, c.Size()), make([][]byte, c.Size())
	own := bytesOf(list[c.Rank()*each : (c.Rank()+1)*each])
	for r := range send {
		if r != c.Rank() {
			send[r], recv[r] = own, bytesOf(list[r*each:(r+1)*each])
		}
	}
	c.exchange(send, recv)
}

// Deal sends to[r] to rank r and has what every rank sends here, by rank.
func Deal[T Number](c *Comm, to [][]T) [][]T {
	if c.Size() == 1 {
		return [][]T{to[0]}
	}
	size := c.Size()
	lengths := make([]int64, size*size)
	for r, list := range to {
		lengths[c.Rank()*size+r] = int64(len(list))
	}
	c.fixed(lengths, size)
	all, send, recv := make([][]T, size), make([][]byte, size), make([][]byte, size)
	for r := range all {
		if r == c.Rank() {
			all[r] = to[r]
			continue
		}
		all[r] = make([]T, lengths[r*size+c.Rank()])
		send[r], recv[r] = bytesOf(to[r]), bytesOf(all[r])
	}
	c.exchange(send, recv)
	return all
}

// Texts has the texts of every rank, by rank.
func Texts(c *Comm, own string) []string {
	texts := make([]string, c.Size())
	for r, b := range All(c, []byte(own)) {
		texts[r] = string(b)
	}
	return texts
}

// FirstError is the error of the first rank that has one, or nil where none has. All ranks return the same text. The context of
// Within ends here if a rank has wished for it.
func (c *Comm) FirstError(err error) error {
	if c.Size() == 1 {
		return err
	}
	c.Agree()
	own := ""
	if err != nil {
		own = "e" + err.Error()
	}
	for r, text := range Texts(c, own) {
		switch {
		case text == "":
		case r == c.Rank():
			return err
		default:
			return OfRank{r, text[1:]}
		}
	}
	return nil
}

// SameEverywhere is an error where ranks differ in something that is to be the same on all, such as how they compute.
func (c *Comm) SameEverywhere(what, own string) error {
	texts := Texts(c, own)
	for rank, text := range texts {
		if text != texts[0] {
			return fmt.Errorf("rank %d has the %s %s, and rank 0 %s: ranks need processors of one type", rank, what, text, texts[0])
		}
	}
	return nil
}

// OfRank is an error that another rank has met.
type OfRank struct {
	Rank int
	Text string
}

func (e OfRank) Error() string { return e.Text }
