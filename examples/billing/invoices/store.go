// Package invoices keeps invoices in one JSON file, which is enough for an example.
package invoices

import (
	"cmp"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Status is where an invoice stands.
type Status string

// The statuses of an invoice.
const (
	Open     Status = "open"
	Paid     Status = "paid"
	Refunded Status = "refunded"
)

// Invoice is one invoice. Amounts are in cents.
type Invoice struct {
	ID            string    `json:"id"`
	Customer      string    `json:"customer"`
	Email         string    `json:"email"`
	Status        Status    `json:"status"`
	AmountCents   int64     `json:"amount_cents"`
	RefundedCents int64     `json:"refunded_cents"`
	DueAt         time.Time `json:"due_at"`
	Reminders     int       `json:"reminders"`
}

// What a change of an invoice may run into.
var (
	ErrNotPaid   = errors.New("the invoice is not paid")
	ErrNotOpen   = errors.New("the invoice is not open")
	ErrTooMuch   = errors.New("the refund is larger than what is left")
	errDuplicate = errors.New("two invoices have one id")
)

// Store keeps invoices in a file. It is safe for concurrent use by one process.
type Store struct {
	path string

	mu       sync.Mutex
	invoices map[string]Invoice
}

// OpenStore reads the file, or creates it with a few invoices.
func OpenStore(path string) (*Store, error) {
	s := &Store{path: path}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.invoices = index(seed())
		if err := s.save(s.invoices); err != nil {
			return nil, err
		}
		return s, nil
	case err != nil:
		return nil, err
	}
	var list []Invoice
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if s.invoices = index(list); len(s.invoices) != len(list) {
		return nil, fmt.Errorf("read %s: %w", path, errDuplicate)
	}
	return s, nil
}

// List returns the invoices with a status, or all of them for "", ordered by id.
func (s *Store) List(status Status) []Invoice {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := sorted(s.invoices)
	if status == "" {
		return list
	}
	return slices.DeleteFunc(list, func(inv Invoice) bool { return inv.Status != status })
}

// Find returns one invoice.
func (s *Store) Find(id string) (Invoice, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inv, ok := s.invoices[id]
	return inv, ok
}

// Refund gives back part or all of a paid invoice.
func (s *Store) Refund(id string, cents int64) (Invoice, error) {
	return s.change(id, func(inv *Invoice) error {
		switch left := inv.AmountCents - inv.RefundedCents; {
		case inv.Status != Paid:
			return ErrNotPaid
		case cents > left:
			return fmt.Errorf("%w: %d cents are left", ErrTooMuch, left)
		}
		if inv.RefundedCents += cents; inv.RefundedCents == inv.AmountCents {
			inv.Status = Refunded
		}
		return nil
	})
}

// Remind counts a reminder for an open invoice.
func (s *Store) Remind(id string) (Invoice, error) {
	return s.change(id, func(inv *Invoice) error {
		if inv.Status != Open {
			return ErrNotOpen
		}
		inv.Reminders++
		return nil
	})
}

// change edits a copy and keeps it only when it is safely in the file.
func (s *Store) change(id string, edit func(*Invoice) error) (Invoice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inv, ok := s.invoices[id]
	if !ok {
		return Invoice{}, fmt.Errorf("invoice %q: %w", id, fs.ErrNotExist)
	}
	if err := edit(&inv); err != nil {
		return Invoice{}, err
	}
	next := maps.Clone(s.invoices)
	next[id] = inv
	if err := s.save(next); err != nil {
		return Invoice{}, err
	}
	s.invoices = next
	return inv, nil
}

// save replaces the file as a whole, so that a crash leaves the old or the new one.
func (s *Store) save(invoices map[string]Invoice) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o750); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(s.path), ".invoices-*")
	if err != nil {
		return err
	}
	err = json.MarshalWrite(tmp, sorted(invoices), jsontext.WithIndent("  "))
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

func index(list []Invoice) map[string]Invoice {
	m := make(map[string]Invoice, len(list))
	for _, inv := range list {
		m[inv.ID] = inv
	}
	return m
}

func sorted(m map[string]Invoice) []Invoice {
	return slices.SortedFunc(maps.Values(m), func(a, b Invoice) int { return cmp.Compare(a.ID, b.ID) })
}

func seed() []Invoice {
	due := time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC)
	return []Invoice{
		{ID: "inv_1", Customer: "Ada Lovelace", Email: "ada@example.com", Status: Paid, AmountCents: 12_500, DueAt: due},
		{ID: "inv_2", Customer: "Grace Hopper", Email: "grace@example.com", Status: Open, AmountCents: 9_900, DueAt: due.AddDate(0, 0, 14)},
		{ID: "inv_3", Customer: "Edsger Dijkstra", Email: "edsger@example.com", Status: Paid, AmountCents: 4_200, DueAt: due.AddDate(0, 1, 0)},
	}
}
