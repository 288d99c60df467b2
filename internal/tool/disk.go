package tool

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// stat describes what is at the path on this machine.
func (p Path) stat() (fs.FileInfo, error) {
	info, err := p.place.Stat()
	return info, reason(err)
}

// openRoot opens a folder on this machine. The caller closes it.
func (p Path) openRoot() (*os.Root, error) {
	root, err := p.place.OpenRoot()
	return root, reason(err)
}

// bytes reads a regular file on this machine. One of more than max bytes is a *tooLargeError.
func (p Path) bytes(ctx context.Context, max int64) ([]byte, error) {
	f, info, err := p.place.Open()
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	return readAll(ctx, f, info.Size(), max)
}

// head reads how a regular file on this machine begins: at most n bytes.
func (p Path) head(n int) ([]byte, error) {
	f, _, err := p.place.Open()
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(n)))
	return head, reason(err)
}

// readAll reads a file of a size that was found out before, and may have changed.
func readAll(ctx context.Context, r io.Reader, size, max int64) ([]byte, error) {
	if size > max {
		return nil, &tooLargeError{size, max}
	}
	text := make([]byte, 0, size+1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		const piece = 1 << 20 // between two looks at ctx
		n, err := r.Read(text[len(text):min(cap(text), len(text)+piece)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > max:
			return nil, &tooLargeError{int64(len(text)), max}
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, reason(err)
		}
	}
}

// A tooLargeError says that a file is larger than a tool takes.
type tooLargeError struct{ size, max int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the file has %s, which is too much for a tool: the most is %s", bytesText(e.size), bytesText(e.max))
}

// bytesText is a size as people say it.
func bytesText(n int64) string {
	switch {
	case n >= 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	case n >= 1<<10:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return count(int(n), "byte")
}
