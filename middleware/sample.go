package middleware

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"math"

	"github.com/mcpfusion/go/result"
)

// SampleRequest asks the client's model to go on with a conversation. MaxTokens and at
// least one message are required; fields with their zero value are not sent.
type SampleRequest struct {
	// Messages are the conversation so far: texts, images and audio.
	Messages     []result.Message
	SystemPrompt string
	// MaxTokens bounds the answer.
	MaxTokens     int
	Temperature   *float64
	StopSequences []string
	// Models are hints to which model to take, the best first, such as "claude-sonnet".
	Models []string
	// How much cost, speed and intelligence matter, from 0 to 1.
	CostPriority, SpeedPriority, IntelligencePriority float64
}

// Sample is what the client's model answered.
type Sample struct {
	Content []result.Content // texts, images and audio
	Model   string
	// StopReason is why the model ended, such as "endTurn"; "" if the client did not say.
	StopReason string
}

// Text is the first text of the answer, or "".
func (s Sample) Text() string {
	for _, c := range s.Content {
		if t, is := c.(result.Text); is {
			return t.Text
		}
	}
	return ""
}

// Root is a directory or file that the client lets its servers work in.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// Sample asks the client's model, where the client declares "sampling". The protocol has
// deprecated this: call a model of your own in new code. The key is explained at
// [Question], what to do with an error at [Ctx.Ask].
func (c *Ctx[C]) Sample(key string, request SampleRequest) result.Result[Sample] {
	q := Sampling(key, request)
	_ = c.Ask(q)
	return q.Answer()
}

// Roots asks the client for its roots, where it declares "roots". The protocol has
// deprecated this: take paths as arguments in new code. The key is explained at [Question],
// what to do with an error at [Ctx.Ask].
func (c *Ctx[C]) Roots(key string) result.Result[[]Root] {
	q := Roots(key)
	_ = c.Ask(q)
	return q.Answer()
}

// Sampling is the question of [Ctx.Sample], for [Ctx.Ask].
func Sampling(key string, request SampleRequest) *Question[Sample] {
	about := inquiry{key: key, method: "sampling/createMessage", capability: "sampling", params: func(string) (map[string]any, error) {
		params, err := request.params()
		if err != nil {
			return nil, fmt.Errorf("question %q: %w", key, err)
		}
		return params, nil
	}}
	return newQuestion(about, readSample)
}

// Roots is the question of [Ctx.Roots], for [Ctx.Ask].
func Roots(key string) *Question[[]Root] {
	about := inquiry{key: key, method: "roots/list", capability: "roots", params: func(string) (map[string]any, error) {
		return map[string]any{}, nil
	}}
	return newQuestion(about, func(raw jsontext.Value) (result.Result[[]Root], string) {
		var r struct {
			Roots *[]Root `json:"roots"`
		}
		if err := json.Unmarshal(raw, &r); err != nil || r.Roots == nil {
			return result.Result[[]Root]{}, unreadable
		}
		return result.OK(*r.Roots), ""
	})
}

func (r *SampleRequest) params() (map[string]any, error) {
	if len(r.Messages) == 0 || r.MaxTokens <= 0 {
		return nil, errors.New("sampling needs messages and MaxTokens")
	}
	messages := make([]map[string]any, len(r.Messages))
	for i, m := range r.Messages {
		content, err := sampled(m.Content)
		if err != nil {
			return nil, err
		}
		messages[i] = map[string]any{"role": m.Role, "content": content}
	}
	params := map[string]any{"messages": messages, "maxTokens": r.MaxTokens}
	if r.SystemPrompt != "" {
		params["systemPrompt"] = r.SystemPrompt
	}
	if r.Temperature != nil {
		params["temperature"] = *r.Temperature
	}
	if len(r.StopSequences) > 0 {
		params["stopSequences"] = r.StopSequences
	}
	p, err := r.preferences()
	if len(p) > 0 {
		params["modelPreferences"] = p
	}
	return params, err
}

func (r *SampleRequest) preferences() (map[string]any, error) {
	p := make(map[string]any)
	if len(r.Models) > 0 {
		hints := make([]map[string]any, len(r.Models))
		for i, name := range r.Models {
			hints[i] = map[string]any{"name": name}
		}
		p["hints"] = hints
	}
	for name, priority := range map[string]float64{
		"costPriority": r.CostPriority, "speedPriority": r.SpeedPriority, "intelligencePriority": r.IntelligencePriority,
	} {
		if priority < 0 || priority > 1 || math.IsNaN(priority) {
			return nil, fmt.Errorf("sampling has a %s of %v, which is not from 0 to 1", name, priority)
		}
		if priority != 0 {
			p[name] = priority
		}
	}
	return p, nil
}

// sampled is a block as sampling knows it, see client/sampling.
func sampled(c result.Content) (map[string]any, error) {
	switch c := c.(type) {
	case result.Text:
		return map[string]any{"type": "text", "text": c.Text}, nil
	case result.Image:
		return map[string]any{"type": "image", "data": c.Data, "mimeType": c.MIMEType}, nil
	case result.Audio:
		return map[string]any{"type": "audio", "data": c.Data, "mimeType": c.MIMEType}, nil
	}
	return nil, fmt.Errorf("sampling takes texts, images and audio, and no %T", c)
}

// sampledBlock is a block of a client's answer.
type sampledBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     []byte `json:"data"`
	MIMEType string `json:"mimeType"`
}

func readSample(raw jsontext.Value) (result.Result[Sample], string) {
	var r struct {
		Content    jsontext.Value `json:"content"`
		Model      string         `json:"model"`
		StopReason string         `json:"stopReason"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.Content == nil {
		return result.Result[Sample]{}, unreadable
	}
	var blocks []sampledBlock
	if r.Content.Kind() == '{' {
		r.Content = append(append(jsontext.Value{'['}, r.Content...), ']')
	}
	if err := json.Unmarshal(r.Content, &blocks); err != nil {
		return result.Result[Sample]{}, unreadable
	}
	s := Sample{Model: r.Model, StopReason: r.StopReason}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			s.Content = append(s.Content, result.Text{Text: b.Text})
		case "image":
			s.Content = append(s.Content, result.Image{Data: b.Data, MIMEType: b.MIMEType})
		case "audio":
			s.Content = append(s.Content, result.Audio{Data: b.Data, MIMEType: b.MIMEType})
		default:
			return result.Result[Sample]{}, unreadable
		}
	}
	return result.OK(s), ""
}
