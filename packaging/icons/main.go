// Icons scales the product's icon for each system: icons DIR < icon.png.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/image/draw"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: icons DIR < icon.png")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "icons:", err)
		os.Exit(1)
	}
}

// write makes the folder hicolor, sekisho.ico and sekisho.icns.
func write(dir string) error {
	icon, err := png.Decode(os.Stdin)
	if err != nil {
		return fmt.Errorf("read the icon: %w", err)
	}
	for _, size := range []int{16, 24, 32, 48, 64, 128, 256} {
		picture, err := encoded(icon, size)
		if err != nil {
			return err
		}
		if err := save(filepath.Join(dir, "hicolor", fmt.Sprintf("%dx%d", size, size), "apps", "sekisho.png"), picture); err != nil {
			return err
		}
	}
	mac, err := icns(icon)
	if err != nil {
		return err
	}
	return errors.Join(save(filepath.Join(dir, "sekisho.ico"), ico(icon)), save(filepath.Join(dir, "sekisho.icns"), mac))
}

func save(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func scaled(icon image.Image, size int) *image.NRGBA {
	small := image.NewNRGBA(image.Rect(0, 0, size, size))
	draw.CatmullRom.Scale(small, small.Bounds(), icon, icon.Bounds(), draw.Src, nil)
	return small
}

func encoded(icon image.Image, size int) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, scaled(icon, size)); err != nil {
		return nil, fmt.Errorf("write an icon of %d pixels: %w", size, err)
	}
	return b.Bytes(), nil
}

// icns is Apple's container: a type and a length before each PNG.
func icns(icon image.Image) ([]byte, error) {
	var body []byte
	for _, entry := range []struct {
		kind string
		size int
	}{{"ic11", 32}, {"ic12", 64}, {"ic07", 128}, {"ic08", 256}} {
		picture, err := encoded(icon, entry.size)
		if err != nil {
			return nil, err
		}
		body = binary.BigEndian.AppendUint32(append(body, entry.kind...), uint32(len(picture)+8))
		body = append(body, picture...)
	}
	return append(binary.BigEndian.AppendUint32([]byte("icns"), uint32(len(body)+8)), body...), nil
}

// ico is the container of Windows: a directory, then bitmaps of 32 bits, lowest row first,
// each with an empty mask.
func ico(icon image.Image) []byte {
	sizes := []int{16, 32, 48}
	le := binary.LittleEndian
	head := []byte{0, 0, 1, 0, byte(len(sizes)), 0}
	var body []byte
	for _, size := range sizes {
		picture := bitmap(scaled(icon, size))
		head = append(head, byte(size), byte(size), 0, 0, 1, 0, 32, 0)
		head = le.AppendUint32(head, uint32(len(picture)))
		head = le.AppendUint32(head, uint32(6+16*len(sizes)+len(body)))
		body = append(body, picture...)
	}
	return slices.Concat(head, body)
}

func bitmap(icon *image.NRGBA) []byte {
	size := icon.Bounds().Dx()
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 40)
	b = le.AppendUint32(b, uint32(size))
	b = le.AppendUint32(b, uint32(2*size)) // the mask counts
	b = append(b, 1, 0, 32, 0)
	b = append(b, make([]byte, 24)...)
	for y := size - 1; y >= 0; y-- {
		for x := range size {
			c := color.NRGBAModel.Convert(icon.At(x, y)).(color.NRGBA)
			b = append(b, c.B, c.G, c.R, c.A)
		}
	}
	return append(b, make([]byte, (size+31)/32*4*size)...)
}
