package scope

import (
	"encoding/json/jsontext"
	"maps"
	"slices"
	"sync"
)

// MaxRounds is how often one call may ask its client, one round of questions at a time.
const MaxRounds = 10

// Memory is what one logical call knows beyond its arguments: the answers of its client
// and the results of work that must not be repeated, from all rounds so far. It is safe
// for concurrent use.
type Memory struct {
	mu     sync.Mutex
	recall Recall
	asking map[string]string         // the questions of this round, as Recall.Asked
	fresh  map[string]jsontext.Value // came with this round, by key; not yet proved
	used   map[string]bool           // of these, what a question of this round has
}

// Recall is what one round leaves to the next.
type Recall struct {
	// Answers are those that were proved, by the question's key.
	Answers map[string]Answer `json:"a,omitempty"`
	// Kept are results of work, by its key.
	Kept map[string]jsontext.Value `json:"k,omitempty"`
	// Asked are the questions that the client was asked last: by key, the digest of what it
	// was asked. An answer is good for that alone.
	Asked map[string]string `json:"q,omitempty"`
}

// Answer is a proved answer of a client.
type Answer struct {
	Question string         `json:"q"` // the digest of what was asked
	Result   jsontext.Value `json:"r"`
}

// NewMemory makes the memory of a call from what its earlier rounds left and from the
// responses that its client sent with this one.
func NewMemory(recall Recall, fresh map[string]jsontext.Value) *Memory {
	return &Memory{recall: Recall{maps.Clone(recall.Answers), maps.Clone(recall.Kept), recall.Asked}, fresh: fresh}
}

// Answered returns the answer to a question: one that was proved, which counts for good, or
// else the one that came with this round; nil if there is none. An answer to another question
// of the same key is none.
func (m *Memory) Answered(key, question string) jsontext.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, known := m.recall.Answers[key]; known {
		if a.Question == question {
			return a.Result
		}
		return nil
	}
	if asked, known := m.recall.Asked[key]; known && asked != question {
		return nil
	}
	if m.used == nil {
		m.used = make(map[string]bool)
	}
	m.used[key] = true
	return m.fresh[key]
}

// Prove keeps an answer that is right.
func (m *Memory) Prove(key, question string, answer jsontext.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.recall.Answers == nil {
		m.recall.Answers = make(map[string]Answer)
	}
	m.recall.Answers[key] = Answer{question, answer}
}

// Ask notes that the client is asked a question at the end of this round.
func (m *Memory) Ask(key, question string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asking == nil {
		m.asking = make(map[string]string)
	}
	m.asking[key] = question
	if a, known := m.recall.Answers[key]; known && a.Question != question {
		delete(m.recall.Answers, key) // it was asked something else then
	}
}

// Unused are the keys of responses that no question of this round has.
func (m *Memory) Unused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var unused []string
	for key := range m.fresh {
		if !m.used[key] {
			unused = append(unused, key)
		}
	}
	slices.Sort(unused)
	return unused
}

// Kept is the result of work that was done under a key; nil if it was not.
func (m *Memory) Kept(key string) jsontext.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.recall.Kept[key]
}

// Keep keeps the result of work.
func (m *Memory) Keep(key string, value jsontext.Value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.recall.Kept == nil {
		m.recall.Kept = make(map[string]jsontext.Value)
	}
	m.recall.Kept[key] = value
}

// Recall is what the next round must know, as a copy.
func (m *Memory) Recall() Recall {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Recall{maps.Clone(m.recall.Answers), maps.Clone(m.recall.Kept), maps.Clone(m.asking)}
}
