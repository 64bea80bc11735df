package protocol

import (
	"crypto/rand"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"sync"
)

// peer is the client as one that answers requests. Its ids cannot be guessed, so that only
// who was asked can answer.
type peer struct {
	mu      sync.Mutex
	waiting map[string]chan answer
}

// answer is what a client responded.
type answer struct {
	result jsontext.Value
	err    error
}

// clientError is a JSON-RPC error that a client responded with.
type clientError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// Error implements error.
func (e *clientError) Error() string {
	return fmt.Sprintf("the client answered %d: %s", e.Code, e.Message)
}

// ask makes the id of a request and the channel that gets its response.
func (p *peer) ask() (id string, response <-chan answer) {
	id = rand.Text()
	c := make(chan answer, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = make(map[string]chan answer)
	}
	p.waiting[id] = c
	return id, c
}

// forget ends a request: a response that comes later is ignored.
func (p *peer) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// responded takes a response from the client. One that nobody waits for is ignored.
func (p *peer) responded(m *message) {
	if !isString(m.id) {
		return
	}
	id := string(unquote(m.id))
	p.mu.Lock()
	c := p.waiting[id]
	delete(p.waiting, id)
	p.mu.Unlock()
	if c != nil {
		c <- readAnswer(m)
	}
}

// readAnswer reads a response. An error that is none is one without a code.
func readAnswer(m *message) answer {
	if m.failure == nil {
		return answer{result: m.result}
	}
	e := &clientError{}
	if err := json.Unmarshal(m.failure, e); err != nil {
		e = &clientError{Code: codeInternal, Message: "an error that cannot be read"}
	}
	return answer{err: e}
}
