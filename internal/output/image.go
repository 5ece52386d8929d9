package output

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// Images say how the rows of a matrix are images: Height·Width grey values, Lo black and Hi white; what is beyond is cut off.
type Images struct {
	Height, Width int
	ByColumns     bool // the values go down the columns of an image, as MATLAB has them, not along its rows
	Lo, Hi        float64
}

// Check refuses a matrix whose rows are no such images; name is what messages call it.
func (o Images) Check(name string, m *dataset.Matrix) error {
	if o.Height < 1 || o.Width < 1 || o.Height*o.Width != m.Cols {
		return fmt.Errorf("%s: has %d columns, which are no images of %d×%d = %d pixels; give the height and width of its images",
			name, m.Cols, o.Height, o.Width, o.Height*o.Width)
	}
	return nil
}

// Greys are images of the same size whose black and white suit data: 0 and 1, or 0 and 255 where all of it is there; else its
// smallest and its largest value.
func (o Images) Greys(m *dataset.Matrix) Images {
	o.Lo, o.Hi = math.Inf(1), math.Inf(-1)
	for _, x := range m.Dense {
		if !math.IsNaN(x) {
			o.Lo, o.Hi = math.Min(o.Lo, x), math.Max(o.Hi, x)
		}
	}
	switch {
	case o.Lo >= 0 && o.Hi <= 1:
		o.Lo, o.Hi = 0, 1
	case o.Lo >= 0 && o.Hi <= 255:
		o.Lo, o.Hi = 0, 255
	}
	return o
}

// Write writes a sheet to a file, PNG or PGM by its name. One matrix is laid out in lines of about as many images as there are
// lines. Of several each is a line of its own, for images of the same samples to stand below each other. Errors are of Check, and
// of a name with another ending.
func (o Images) Write(name string, all ...*dataset.Matrix) error {
	for _, m := range all {
		if err := o.Check(name, m); err != nil {
			return err
		}
	}
	sheet := o.sheet(all)
	switch ending(name) {
	case "png":
		return atomicfile.Write(name, func(w io.Writer) error { return png.Encode(w, sheet) })
	case "pgm":
		return atomicfile.Write(name, func(w io.Writer) error { return writePGM(w, sheet) })
	}
	return fmt.Errorf("%s: is no name of an image; images are written as .png or .pgm", name)
}

// border is the number of grey pixels between images.
const border = 1

// sheet draws all images.
func (o Images) sheet(all []*dataset.Matrix) *image.Gray {
	across, lines := 0, len(all)
	for _, m := range all {
		across = max(across, m.Rows)
	}
	if len(all) == 1 {
		across = int(math.Ceil(math.Sqrt(float64(across))))
		lines = (all[0].Rows + across - 1) / across
	}
	s := image.NewGray(image.Rect(0, 0, across*(o.Width+border)+border, lines*(o.Height+border)+border))
	for i := range s.Pix {
		s.Pix[i] = math.MaxUint8 / 2
	}
	for line, m := range all {
		for i := range m.Rows {
			column, row := i, line
			if len(all) == 1 {
				column, row = i%across, i/across
			}
			o.draw(s, column*(o.Width+border)+border, row*(o.Height+border)+border, m.Dense[i*m.Cols:(i+1)*m.Cols])
		}
	}
	return s
}

// draw puts one image at a place; missing pixels stay grey.
func (o Images) draw(s *image.Gray, x0, y0 int, pixels []float64) {
	for e, p := range pixels {
		x, y := e%o.Width, e/o.Width
		if o.ByColumns {
			x, y = e/o.Height, e%o.Height
		}
		if !math.IsNaN(p) {
			s.SetGray(x0+x, y0+y, color.Gray{o.grey(p)})
		}
	}
}

// grey is the level of a value.
func (o Images) grey(p float64) uint8 {
	if !(o.Hi > o.Lo) {
		return 0
	}
	t := math.Min(math.Max((p-o.Lo)/(o.Hi-o.Lo), 0), 1)
	return uint8(math.Round(t * math.MaxUint8))
}

// writePGM writes the binary form of the portable grey map.
func writePGM(w io.Writer, s *image.Gray) error {
	size := s.Bounds().Size()
	if _, err := fmt.Fprintf(w, "P5\n%d %d\n%d\n", size.X, size.Y, math.MaxUint8); err != nil {
		return err
	}
	_, err := w.Write(s.Pix)
	return err
}
