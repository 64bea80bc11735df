package protocol

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpfusion/go/internal/scope"
	"github.com/mcpfusion/go/middleware"
	"github.com/mcpfusion/go/result"
)

// state is what a call must know in its next round. The client carries it, sealed, as
// requestState: see basic/patterns/mrtr of revision 2026-07-28.
type state struct {
	// Ends is when it is worthless, in seconds since 1970.
	Ends int64 `json:"e"`
	// Nonce is that of the call in all its rounds: of all ways that its states allow to
	// finish it, one can be taken.
	Nonce string `json:"n"`
	// Round is the number of the round that it begins.
	Round  int          `json:"r"`
	Recall scope.Recall `json:"m"`
}

// maxState bounds a sealed state, in bytes.
const maxState = 128 << 10

// sealer seals states with authenticated encryption. A state is bound to the call that it
// belongs to: it opens for the same caller, method, name and arguments alone.
type sealer struct {
	ciphers []cipher.AEAD // the first seals, all open
	life    time.Duration
	now     func() time.Time
	nonces  NonceStore
	log     *slog.Logger
	server  string
}

// newSealer makes a sealer with keys of 32 bytes, or one of its own.
func newSealer(o *Options, log *slog.Logger, server string) (*sealer, error) {
	s := &sealer{life: o.StateLife, now: o.Now, nonces: o.Nonces, log: log, server: server}
	if s.nonces == nil {
		s.nonces = newMemoryNonces(o.Now)
	}
	keys := o.StateKeys
	if len(keys) == 0 {
		key := make([]byte, 32)
		_, _ = rand.Read(key)
		keys = [][]byte{key}
	}
	for i, key := range keys {
		if len(key) != 32 {
			return nil, fmt.Errorf("StateKeys[%d] has %d bytes; give it 32 random ones", i, len(key))
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		gcm, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		s.ciphers = append(s.ciphers, gcm)
	}
	return s, nil
}

var errStateTooLarge = fmt.Errorf("the answers and results that the call must keep for its next round have over %d bytes; keep less with Once", maxState)

// seal seals a state for a call.
func (s *sealer) seal(st *state, call []byte) (string, error) {
	st.Ends = s.now().Add(s.life).Unix()
	b, err := json.Marshal(st, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return "", err
	}
	sealed := base64.RawURLEncoding.EncodeToString(s.ciphers[0].Seal(nil, nil, b, call)) //nolint:gosec // the cipher draws a random nonce itself
	if len(sealed) > maxState {
		return "", errStateTooLarge
	}
	return sealed, nil
}

var (
	errNotOurs = errors.New("it was not sealed for this call, or was changed since")
	errExpired = errors.New("it has expired")
)

// open opens what seal sealed for the same call.
func (s *sealer) open(sealed string, call []byte) (*state, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(sealed) > maxState {
		return nil, errNotOurs
	}
	for _, c := range s.ciphers {
		plain, err := c.Open(nil, nil, b, call)
		if err != nil {
			continue
		}
		var st state
		if err := json.Unmarshal(plain, &st, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
			return nil, errNotOurs
		}
		if s.now().Unix() >= st.Ends {
			return nil, errExpired
		}
		return &st, nil
	}
	return nil, errNotOurs
}

// errNonces is what a call is refused with whose state cannot be proved to be unused.
var errNonces = result.Unavailable("The server cannot take the answer now. Send it again in a moment")

// clockSkew is by how much the clocks of processes may differ that have the same keys.
const clockSkew = 5 * time.Minute

// newNonce makes the nonce of a call. It begins with a digest of the caller, by whom a store
// may count.
func newNonce(subject string) string {
	digest := sha256.Sum256([]byte(subject))
	return hex.EncodeToString(digest[:8]) + "." + rand.Text()
}

// use uses a state up.
func (s *sealer) use(ctx context.Context, st *state) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	fresh, err := s.nonces.Use(ctx, st.Nonce, s.life+clockSkew)
	switch {
	case err != nil:
		return errNonces.Because(err)
	case !fresh:
		return result.Protocol(codeInvalidParams, "Invalid params: this requestState was used already; make the call anew without it", nil)
	}
	return nil
}

// reuse takes use back.
func (s *sealer) reuse(ctx context.Context, st *state) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := s.nonces.Reuse(ctx, st.Nonce); err != nil {
		s.log.WarnContext(ctx, "a requestState stays used up, though it only led to another question", "error", err)
	}
}

// identity is what a state is bound to: a digest of all that makes two requests the same.
func (x *exchange) identity() []byte {
	p := &x.msg.params
	h := sha256.New()
	for _, part := range [][]byte{
		[]byte("requestState 1"), []byte(x.srv.sealer.server), []byte(x.in.Subject.ID),
		x.msg.method, sorted(p.name), sorted(p.uri), sorted(p.arguments),
	} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

// sorted is JSON with the members of its objects in order and without blanks, so that a
// client may encode the same arguments anew. Numbers stay as they are.
func sorted(raw jsontext.Value) []byte {
	if isAbsent(raw) {
		return nil
	}
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Format(jsontext.ReorderRawObjects(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return raw
	}
	return v
}

// recall reads what a retry came with: the state of the rounds before and the client's
// responses. Only the stateless revision has them.
func (x *exchange) recall(c *middleware.Call) *fault {
	p := &x.msg.params
	if !x.rev.stateless() || isAbsent(p.inputResponses) && isAbsent(p.requestState) {
		return nil
	}
	var responses map[string]jsontext.Value
	if !isAbsent(p.inputResponses) {
		if !isObject(p.inputResponses) || json.Unmarshal(p.inputResponses, &responses, jsontext.AllowInvalidUTF8(true)) != nil {
			return invalidParams(`Invalid params: "inputResponses" must be an object with each key once`)
		}
	}
	var st state
	if !isAbsent(p.requestState) {
		if !isString(p.requestState) {
			return invalidParams(`Invalid params: "requestState" must be the string that the server sent`)
		}
		opened, err := x.srv.sealer.open(string(unquote(p.requestState)), x.identity())
		if err != nil {
			scope.Log(x.ctx, x.srv.log, slog.LevelInfo, "a requestState was refused", "name", c.Name, "error", err)
			return invalidParams("Invalid params: the requestState is refused: " + err.Error() + "; make the call anew without it")
		}
		st = *opened
		x.dialog.state = opened
	}
	c.Round = st.Round
	x.dialog.memory = scope.NewMemory(st.Recall, responses)
	return nil
}

// pend seals what the next round of the call must know.
func (x *exchange) pend(p *result.Pending) error {
	memory := x.dialog.Memory()
	if unused := memory.Unused(); len(unused) > 0 {
		x.srv.log.WarnContext(x.ctx, "the client answered what was not asked; do the keys of the questions change from run to run?",
			string(x.called.Kind), x.called.Name, "answers", unused)
	}
	next := &state{Round: x.called.Round + 1, Recall: memory.Recall()}
	if x.dialog.state != nil {
		next.Nonce = x.dialog.state.Nonce
	} else {
		next.Nonce = newNonce(x.in.Subject.ID)
	}
	sealed, err := x.srv.sealer.seal(next, x.identity())
	p.State = sealed
	return err
}
