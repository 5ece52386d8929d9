package views

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/output"
	multiview "github.com/seed-b18ef778/gcg/task/views"
)

// A viewFile is a view, and the file that it is written to.
type viewFile struct {
	view int
	file string
}

// outputsOf reads --denoised: FILE for all views, or VIEW=FILE for one.
func outputsOf(denoised, views []string) (all []viewFile, err error) {
	for _, text := range denoised {
		view, file, every := strings.Cut(text, "=")
		if !every {
			ending := filepath.Ext(text)
			for v := range views {
				all = append(all, viewFile{v, strings.TrimSuffix(text, ending) + "." + strconv.Itoa(v+1) + ending})
			}
			continue
		}
		at, err := placeOf("denoised", text, view, views, false)
		if err != nil {
			return nil, err
		}
		if file == "" {
			return nil, cli.Usagef("--denoised %q: names no file", text)
		}
		all = append(all, viewFile{at, file})
	}
	return all, nil
}

// checkSizes refuses views that are to be images of another size, before the work.
func checkSizes(f *cli.ImageFlags, files []viewFile, views []multiview.View) error {
	for _, o := range files {
		if output.IsImage(o.file) {
			if err := f.CheckSize(views[o.view].Name, views[o.view].X); err != nil {
				return err
			}
		}
	}
	return nil
}

// viewNames are the files of views, as a model has them.
func viewNames(e *multiview.Encoder) (names []string) {
	for _, v := range e.Views() {
		if !v.Labels {
			names = append(names, v.Name)
		}
	}
	return slices.Clip(names)
}
