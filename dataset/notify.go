package dataset

import (
	"fmt"
	"sync"
)

var notices struct {
	sync.Mutex
	tell func(text string)
}

// Notify has tell told, in one line each, what readers took a file for where that is not plain to see, as another encoding than
// UTF-8 is. Without it, and with nil, nobody is told. It holds for all readers of this package.
func Notify(tell func(text string)) {
	notices.Lock()
	defer notices.Unlock()
	notices.tell = tell
}

func notify(format string, args ...any) {
	notices.Lock()
	defer notices.Unlock()
	if notices.tell != nil {
		notices.tell(fmt.Sprintf(format, args...))
	}
}
