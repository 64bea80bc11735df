package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLineTooLong is a line over the limit. What is left of it was read over.
var errLineTooLong = errors.New("the line is too long")

// lineReader cuts a stream into lines, each in memory of its own and of its own size.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 32<<10), max: max}
}

// next returns the next line that is not blank. The last one needs no line feed.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))) > 0 {
			return line, nil
		}
	}
}

// line reads up to a line feed or the end.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		chunk, err := l.r.ReadSlice('\n')
		switch {
		case len(line)+len(bytes.TrimRight(chunk, "\r\n")) > l.max:
			return nil, l.skip(err)
		case err == nil:
			return append(line, chunk...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			line = append(line, chunk...)
		case errors.Is(err, io.EOF) && len(line)+len(chunk) > 0:
			return append(line, chunk...), nil
		default:
			return nil, err
		}
	}
}

// skip reads over the rest of a line.
func (l *lineReader) skip(err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice('\n')
	}
	if err == nil || errors.Is(err, io.EOF) {
		return errLineTooLong
	}
	return err
}
