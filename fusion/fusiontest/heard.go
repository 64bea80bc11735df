package fusiontest

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"slices"
	"sync"
)

// heard is what a client heard before the answer.
type heard struct{ *hearing }

// hearing listens while a call runs, which may use several goroutines.
type hearing struct {
	mu        sync.Mutex
	progress  []Progress
	logs      []Log
	questions []Question
}

// Progress is a report of how far a call is.
type Progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// Log is a log record that the client was sent.
type Log struct {
	Level  string `json:"level"` // such as "info" or "warning"
	Logger string `json:"logger"`
	// Data is the record as JSON: its message is "msg".
	Data jsontext.Value `json:"data"`
}

// Question is what the client was asked during a call.
type Question struct {
	Key string
	// Method is the protocol's, such as "elicitation/create".
	Method string
	Params jsontext.Value
}

// Progress is what the call told of how far it was, in order.
func (h heard) Progress() []Progress {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.progress)
}

// Logs are the records that the call logged with ctx.Log, in order.
func (h heard) Logs() []Log {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.logs)
}

// Questions are those that the client was asked, in order; one that was asked again is
// there again.
func (h heard) Questions() []Question {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.questions)
}

// note keeps a notification.
func (h *hearing) note(method string, params jsontext.Value) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch method {
	case "notifications/progress":
		var p Progress
		if json.Unmarshal(params, &p) == nil {
			h.progress = append(h.progress, p)
		}
	case "notifications/message":
		var l Log
		if json.Unmarshal(params, &l) == nil {
			h.logs = append(h.logs, l)
		}
	}
}

func (h *hearing) asked(q Question) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.questions = append(h.questions, q)
}
