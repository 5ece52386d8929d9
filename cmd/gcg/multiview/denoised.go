package multiview

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/output"
	"github.com/seed-b18ef778/gcg/task/multiview"
	"github.com/spf13/pflag"
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

// imageFlags say how rows are images.
type imageFlags struct {
	size, order string
}

func (f *imageFlags) register(s *pflag.FlagSet) {
	s.StringVar(&f.size, "image-size", "", "the height and width `H,W` of a view's images, for .png and .pgm")
	s.StringVar(&f.order, "image-order", "rows", "the pixels of an image are by its rows, or by its columns, as MATLAB has them")
}

// set says that there are images.
func (f *imageFlags) set() bool { return f.size != "" }

// check refuses what the flags say of a file.
func (f *imageFlags) check(file string) error {
	if err := cli.OneOf([][3]string{{"image-order", f.order, "rows columns"}}); err != nil {
		return err
	}
	if f.set() {
		if _, err := f.images(); err != nil {
			return err
		}
	} else if output.IsImage(file) {
		return cli.Usagef("%s: is to be an image; give the height and width of the view's images, --image-size H,W", file)
	}
	return nil
}

// images is what the flags say.
func (f *imageFlags) images() (output.Images, error) {
	o := output.Images{ByColumns: f.order == "columns"}
	h, w, two := strings.Cut(f.size, ",")
	var errs [2]error
	o.Height, errs[0] = strconv.Atoi(h)
	o.Width, errs[1] = strconv.Atoi(w)
	if !two || errs[0] != nil || errs[1] != nil || o.Height < 1 || o.Width < 1 {
		return o, cli.Usagef("--image-size %q: a height and a width in pixels, with a comma between", f.size)
	}
	return o, nil
}

// write writes a view; the greys of images are those that suit the data it was made of, or its own where that is nil.
func (f *imageFlags) write(file string, x, data *dataset.Matrix) error {
	if !output.IsImage(file) {
		return output.Matrix(file, x)
	}
	o, err := f.images()
	if err != nil {
		return err
	}
	if data == nil {
		data = x
	}
	return o.Greys(data).Write(file, x)
}

// checkSizes refuses views that are to be images of another size, before the work.
func (f *imageFlags) checkSizes(files []viewFile, views []multiview.View) error {
	for _, o := range files {
		if output.IsImage(o.file) {
			images, err := f.images()
			if err != nil {
				return err
			}
			if err := images.Check(views[o.view].Name, views[o.view].X); err != nil {
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
