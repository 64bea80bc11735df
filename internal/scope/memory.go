package scope

import (
	"encoding/json/jsontext"
	"maps"
	"sync"
)

// MaxRounds is how often one call may ask its client, one round of questions at a time.
const MaxRounds = 10

// Memory is what one logical call knows beyond its arguments: the answers of its client
// and the results of work that must not be repeated, from all rounds so far. It is safe
// for concurrent use.
type Memory struct {
	mu      sync.Mutex
	fresh   map[string]jsontext.Value // came with this round, by key; not yet proved
	answers map[string]Answer
	kept    map[string]jsontext.Value
}

// Answer is a proved answer of a client.
type Answer struct {
	Method string         `json:"m"`
	Result jsontext.Value `json:"r"`
}

// NewMemory makes the memory of a call from what its earlier rounds left and from the
// responses that its client sent with this one.
func NewMemory(answers map[string]Answer, kept, fresh map[string]jsontext.Value) *Memory {
	return &Memory{fresh: fresh, answers: maps.Clone(answers), kept: maps.Clone(kept)}
}

// Answered returns the answer under a key: one that was proved for that method, which counts
// for good, or else the one that came with this round; nil if there is none.
func (m *Memory) Answered(key, method string) jsontext.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, known := m.answers[key]; known && a.Method == method {
		return a.Result
	}
	return m.fresh[key]
}

// Prove keeps an answer that is right.
func (m *Memory) Prove(key, method string, answer jsontext.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil {
		m.answers = make(map[string]Answer)
	}
	m.answers[key] = Answer{method, answer}
}

// Kept is the result of work that was done under a key; nil if it was not.
func (m *Memory) Kept(key string) jsontext.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[key]
}

// Keep keeps the result of work.
func (m *Memory) Keep(key string, value jsontext.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = make(map[string]jsontext.Value)
	}
	m.kept[key] = value
}

// Snapshot returns copies of what the next round must know.
func (m *Memory) Snapshot() (answers map[string]Answer, kept map[string]jsontext.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.answers), maps.Clone(m.kept)
}
