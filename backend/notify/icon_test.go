package notify

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"
)

// productIcon is the one that the window has too.
func productIcon(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../build/icon.png")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestIcons(t *testing.T) {
	made, err := readIcon(productIcon(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, size := range sizes {
		as, at := made.tray[i], made.attention[i]
		if as.Width != int32(size) || as.Height != int32(size) || len(as.Data) != 4*size*size || len(at.Data) != len(as.Data) {
			t.Errorf("size %d: %d x %d, %d bytes", size, as.Width, as.Height, len(as.Data))
		}
		if bytes.Equal(as.Data, at.Data) || !bytes.Contains(at.Data, []byte{0xff, 0xc4, 0x32, 0x2b}) {
			t.Errorf("size %d: nothing marks that something waits", size)
		}
	}
	if p := made.picture; p.Width != 64 || p.Stride != 256 || len(p.Data) != 64*256 || bytes.Contains(p.Data, []byte{0xc4, 0x32, 0x2b, 0xff}) {
		t.Errorf("the notification's picture: %+v", p.Width)
	}
}

func TestIconKeepsItsColours(t *testing.T) {
	source := image.NewRGBA(image.Rect(0, 0, 10, 10)) // smaller than what is asked for
	for i := range source.Pix {
		source.Pix[i] = []byte{10, 200, 30, 255}[i%4]
	}
	for _, size := range []int{3, 22} {
		if got := scaled(source, size).NRGBAAt(size-1, size/2); got != (color.NRGBA{10, 200, 30, 255}) {
			t.Errorf("at %d: %v", size, got)
		}
	}
	if p := argb(scaled(source, 1)); !bytes.Equal(p.Data, []byte{255, 10, 200, 30}) {
		t.Errorf("got % x", p.Data)
	}
	if _, err := readIcon([]byte("not a picture")); err == nil {
		t.Error("anything is an icon")
	}
	dot := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	dot.SetNRGBA(0, 0, color.NRGBA{255, 0, 51, 128})
	var one bytes.Buffer
	if err := png.Encode(&one, dot); err != nil {
		t.Fatal(err)
	}
	if made, err := readIcon(one.Bytes()); err != nil || !bytes.HasPrefix(made.tray[0].Data, []byte{128, 255, 0, 49}) {
		t.Errorf("a single dot that is half to be seen through: %v", err)
	}
}
