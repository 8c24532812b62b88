package notify

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// sizes are those in which trays show icons.
var sizes = [...]int{22, 24, 32, 48, 64}

// pixmap is an image as the tray's protocol has it: ARGB, the first byte alpha.
type pixmap struct {
	Width, Height int32
	Data          []byte
}

// picture is an image as the notifications' protocol has it: rows of RGBA.
type picture struct {
	Width, Height, Stride int32
	Alpha                 bool
	Bits, Channels        int32
	Data                  []byte
}

// icons are the product's icon in the forms that the desktop takes.
type icons struct {
	tray      []pixmap // as it is
	attention []pixmap // with a mark: something waits
	picture   picture
}

// icons are those of the product; without a picture of it there is an empty place in the tray.
func (o Options) icons() icons {
	made, err := readIcon(o.Icon)
	if err != nil {
		o.Logger.Error("make the icons", "error", err)
	}
	return made
}

func readIcon(raw []byte) (icons, error) {
	read, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return icons{}, fmt.Errorf("read the icon: %w", err)
	}
	source := image.NewRGBA(read.Bounds()) // its dots are read without an allocation each
	draw.Draw(source, source.Rect, read, source.Rect.Min, draw.Src)
	var made icons
	for _, size := range sizes {
		small := scaled(source, size)
		made.tray = append(made.tray, argb(small))
		if size == 64 {
			made.picture = picture{int32(size), int32(size), int32(small.Stride), true, 8, 4, bytes.Clone(small.Pix)}
		}
		mark(small)
		made.attention = append(made.attention, argb(small))
	}
	return made, nil
}

// scaled shrinks an image to a square: each dot is the mean of those it stands for.
func scaled(source *image.RGBA, size int) *image.NRGBA {
	small, b := image.NewNRGBA(image.Rect(0, 0, size, size)), source.Bounds()
	for y := range size {
		for x := range size {
			part := image.Rect(b.Min.X+x*b.Dx()/size, b.Min.Y+y*b.Dy()/size, b.Min.X+(x+1)*b.Dx()/size, b.Min.Y+(y+1)*b.Dy()/size)
			small.Set(x, y, mean(source, part))
		}
	}
	return small
}

func mean(source *image.RGBA, part image.Rectangle) color.Color {
	part.Max.X, part.Max.Y = max(part.Max.X, part.Min.X+1), max(part.Max.Y, part.Min.Y+1)
	var r, g, b, a uint32
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			dot := source.RGBAAt(x, y)
			r, g, b, a = r+uint32(dot.R), g+uint32(dot.G), b+uint32(dot.B), a+uint32(dot.A)
		}
	}
	n := uint32(part.Dx() * part.Dy())
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), uint8(a / n)}
}

// mark draws a dot in the lower right corner, with a rim that parts it from any icon.
func mark(icon *image.NRGBA) {
	size := icon.Rect.Dx()
	radius := size / 4
	centre := size - radius - 1
	for y := range size {
		for x := range size {
			far := (x-centre)*(x-centre) + (y-centre)*(y-centre)
			switch rim := radius * 3 / 4; {
			case far <= rim*rim:
				icon.SetNRGBA(x, y, color.NRGBA{R: 0xc4, G: 0x32, B: 0x2b, A: 0xff})
			case far <= radius*radius:
				icon.SetNRGBA(x, y, color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff})
			}
		}
	}
}

func argb(icon *image.NRGBA) pixmap {
	data := make([]byte, 0, len(icon.Pix))
	for i := 0; i < len(icon.Pix); i += 4 {
		data = append(data, icon.Pix[i+3], icon.Pix[i], icon.Pix[i+1], icon.Pix[i+2])
	}
	return pixmap{int32(icon.Rect.Dx()), int32(icon.Rect.Dy()), data}
}
