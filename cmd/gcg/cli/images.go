package cli

import (
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
)

// ImageFlags say how the rows of a matrix are images.
type ImageFlags struct {
	size, order string
}

// Fields are where the values of the flags are kept.
func (f *ImageFlags) Fields() Fields { return Fields{"image-size": &f.size, "image-order": &f.order} }

// Set says that there are images.
func (f *ImageFlags) Set() bool { return f.size != "" }

// Check refuses what the flags say of a file to write.
func (f *ImageFlags) Check(file string) error {
	if f.Set() {
		if _, err := f.Images(); err != nil {
			return err
		}
	} else if output.IsImage(file) {
		return Usagef("%s: is to be an image; give the height and width of its rows, --image-size H,W", file)
	}
	return nil
}

// Images is what the flags say.
func (f *ImageFlags) Images() (output.Images, error) {
	o := output.Images{ByColumns: f.order == "columns"}
	h, w, two := strings.Cut(f.size, ",")
	var errs [2]error
	o.Height, errs[0] = strconv.Atoi(h)
	o.Width, errs[1] = strconv.Atoi(w)
	if !two || errs[0] != nil || errs[1] != nil || o.Height < 1 || o.Width < 1 {
		return o, Usagef("--image-size %q: a height and a width in pixels, with a comma between", f.size)
	}
	return o, nil
}

// CheckSize refuses a matrix whose rows are images of another size, before the work; name is what messages call it.
func (f *ImageFlags) CheckSize(name string, m *dataset.Matrix) error {
	o, err := f.Images()
	if err != nil {
		return err
	}
	return o.Check(name, m)
}

// Write writes a matrix in the format of the file's name; the greys of images are those that suit the data it was made of, or
// its own where that is nil.
func (f *ImageFlags) Write(file string, x, data *dataset.Matrix) error {
	if !output.IsImage(file) {
		return output.Matrix(file, x)
	}
	o, err := f.Images()
	if err != nil {
		return err
	}
	if data == nil {
		data = x
	}
	return o.Greys(data).Write(file, x)
}
