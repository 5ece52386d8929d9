package serve

import (
	"context"
	"os"
	"time"
)

// Watch reloads when one of the files is another one, or was written, until ctx ends: it looks at them every so often. A file is
// taken in when it has been the same for two looks, so that one that is being written is not read half way.
func (s *Server) Watch(ctx context.Context, every time.Duration, files ...string) {
	before := stamps(files)
	taken := before
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := stamps(files)
		if now == before && now != taken {
			taken = now
			s.Reload(ctx) // which logs what fails, and is tried again when the file is another one
		}
		before = now
	}
}

// stamps is what tells the files from others: when each was written, and its size. A file that is not there has none.
func stamps(files []string) (all string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			all += info.ModTime().Format(time.RFC3339Nano) + " " + time.Duration(info.Size()).String() + "\n"
		} else {
			all += "\n"
		}
	}
	return all
}
