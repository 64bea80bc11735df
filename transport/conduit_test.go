package transport

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

func TestAConduitCarriesMoreThanItHolds(t *testing.T) {
	c := newConduit()
	text := strings.Repeat("0123456789", conduitSize/4)
	go func() {
		if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
		c.Close()
	}()
	got, err := io.ReadAll(c)
	if err != nil || string(got) != text {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

func TestAFullConduitHoldsItsWriterUntilItIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConduit()
		if _, err := c.Write(make([]byte, conduitSize)); err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 1)
		go func() {
			_, err := c.Write([]byte("x"))
			failed <- err
		}()
		synctest.Wait()
		select {
		case err := <-failed:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
		c.Close()
		if err := <-failed; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatIsInAClosedConduitCanBeRead(t *testing.T) {
	c := newConduit()
	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing gives %d, %v", n, err)
	}
	_, _ = c.Write([]byte("rest"))
	c.Close()
	if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, []byte("rest")) {
		t.Errorf("got %q, %v", got, err)
	}
}
