package result

import (
	"errors"
	"math"
	"slices"
	"time"
)

// Code names the kind of a [Failure] in the stable, upper-case words that models and
// clients branch on. Any other code may be used with [Error].
type Code string

// The codes that Fusion itself uses or has a constructor for.
const (
	CodeInvalidArguments Code = "INVALID_ARGUMENTS"
	CodeNotFound         Code = "NOT_FOUND"
	CodeConflict         Code = "CONFLICT"
	CodePrecondition     Code = "PRECONDITION_FAILED"
	CodeUnauthorized     Code = "UNAUTHORIZED"
	CodeForbidden        Code = "FORBIDDEN"
	CodeWrongState       Code = "WRONG_STATE"
	CodeRateLimited      Code = "RATE_LIMITED"
	CodeUnavailable      Code = "UNAVAILABLE"
	CodeOverloaded       Code = "OVERLOADED"
	CodeTimeout          Code = "TIMEOUT"
	CodeCancelled        Code = "CANCELLED"
	CodeDeclined         Code = "DECLINED"
	CodeDismissed        Code = "DISMISSED"
	CodeNoAnswer         Code = "NO_ANSWER"
	CodeOutcomeUnknown   Code = "OUTCOME_UNKNOWN"
	CodeInternal         Code = "INTERNAL"
)

// Severity grades a [Failure] for whoever reads it. A failure is an error whatever its
// severity; the zero value is left out of the reply.
type Severity string

// The severities of a [Failure].
const (
	SeverityWarning  Severity = "warning"
	SeverityCritical Severity = "critical"
)

// Field is one problem with one argument.
type Field struct {
	// Path leads from the arguments to the value, like "items[2].sku"; "" is the whole.
	Path string
	// Problem says what is wrong, in words for a model.
	Problem string
	// Expected says what would be right. Left out of the reply when empty.
	Expected string
	// Received is a bounded excerpt of the JSON that was sent. Left out when empty.
	Received string
}

// Failure is the error that a model may be shown. Its fluent methods return a changed
// copy, so a package-level Failure is safe to extend; its fields are for reading.
//
// [errors.Is] finds a Failure by its code: errors.Is(err, result.NotFound("")).
type Failure struct {
	Code    Code
	Message string
	// Retryable tells the model that the same call may succeed later.
	Retryable bool
	// RetryDelay is how long to wait before that; zero when unknown.
	RetryDelay time.Duration
	// Suggestion is the next step in words.
	Suggestion string
	// AvailableActions are ids of tools that help. The reply has those of them that
	// exist and that this caller may use now, under their wire names.
	AvailableActions []string
	// Fields are the problems of the arguments.
	Fields []Field
	// Detail is any JSON-encodable value with more facts.
	Detail any
	// Severity is empty for an ordinary failure.
	Severity Severity
	// Reference is the id under which the log has the full story.
	Reference string

	cause error
}

// Error builds a Failure with any code. The message is for the model.
func Error(code Code, message string) *Failure {
	retryable := code == CodeRateLimited || code == CodeUnavailable || code == CodeOverloaded
	return &Failure{Code: code, Message: message, Retryable: retryable}
}

// InvalidArguments says that the arguments have the given problems.
func InvalidArguments(fields ...Field) *Failure {
	f := Error(CodeInvalidArguments, "The arguments are not valid")
	f.Fields = slices.Clone(fields)
	return f
}

// NotFound says that what was asked for does not exist.
func NotFound(message string) *Failure { return Error(CodeNotFound, message) }

// Conflict says that the call contradicts the present state of things.
func Conflict(message string) *Failure { return Error(CodeConflict, message) }

// Precondition says that something must be done or true before this call.
func Precondition(message string) *Failure { return Error(CodePrecondition, message) }

// Unauthorized says that the caller must identify itself first.
func Unauthorized(message string) *Failure { return Error(CodeUnauthorized, message) }

// Forbidden says that this caller may not do this.
func Forbidden(message string) *Failure { return Error(CodeForbidden, message) }

// RateLimited says that the caller has made too many calls. It is retryable.
func RateLimited(message string) *Failure { return Error(CodeRateLimited, message) }

// Unavailable says that something the call needs is down for now. It is retryable.
func Unavailable(message string) *Failure { return Error(CodeUnavailable, message) }

// Overloaded says that the server is too busy for now. It is retryable.
func Overloaded(message string) *Failure { return Error(CodeOverloaded, message) }

// Timeout says that the work was not done in time. It is not retryable, since the work
// may still take effect.
func Timeout(message string) *Failure { return Error(CodeTimeout, message) }

// Declined says that the user was asked and said no.
func Declined(message string) *Failure { return Error(CodeDeclined, message) }

// Dismissed says that the user was asked and closed the question without an answer.
func Dismissed(message string) *Failure { return Error(CodeDismissed, message) }

// NoAnswer says that the client was asked and nothing useful came back in time.
func NoAnswer(message string) *Failure { return Error(CodeNoAnswer, message) }

// Suggest adds the next step in words.
func (f *Failure) Suggest(step string) *Failure {
	c := f.clone()
	c.Suggestion = step
	return c
}

// Actions adds tools that help, by their id such as "billing.list_invoices".
func (f *Failure) Actions(ids ...string) *Failure {
	c := f.clone()
	c.AvailableActions = append(slices.Clone(f.AvailableActions), ids...)
	return c
}

// Details sets further facts: any value that encodes as JSON, commonly a map.
func (f *Failure) Details(v any) *Failure {
	c := f.clone()
	c.Detail = v
	return c
}

// RetryAfter says when the same call may succeed, which makes the failure retryable.
// A delay of zero or less says nothing and changes nothing.
func (f *Failure) RetryAfter(d time.Duration) *Failure {
	c := f.clone()
	if d > 0 {
		c.RetryDelay, c.Retryable = d, true
	}
	return c
}

// Warning grades the failure as mild. It stays an error.
func (f *Failure) Warning() *Failure {
	c := f.clone()
	c.Severity = SeverityWarning
	return c
}

// Critical grades the failure as grave.
func (f *Failure) Critical() *Failure {
	c := f.clone()
	c.Severity = SeverityCritical
	return c
}

// Because keeps the error behind the failure for the log and for [errors.Is]. The model
// is never shown it.
func (f *Failure) Because(cause error) *Failure {
	c := f.clone()
	c.cause = cause
	return c
}

// Error is the code and the message.
func (f *Failure) Error() string { return string(f.Code) + ": " + f.Message }

// Unwrap returns the error given to [Failure.Because], or nil.
func (f *Failure) Unwrap() error { return f.cause }

// Is reports whether target is a Failure with the same code.
func (f *Failure) Is(target error) bool {
	t, ok := target.(*Failure)
	return ok && t != nil && t.Code == f.Code
}

// RetryAfterSeconds is RetryDelay in seconds, to the millisecond and at least one of
// them; 0 when there is nothing to say.
func (f *Failure) RetryAfterSeconds() float64 {
	if f.RetryDelay <= 0 {
		return 0
	}
	return math.Ceil(float64(f.RetryDelay)/float64(time.Millisecond)) / 1000
}

func (f *Failure) clone() *Failure {
	c := *f
	return &c
}

// AsFailure finds the Failure in err, through any wrapping.
func AsFailure(err error) (*Failure, bool) { return errors.AsType[*Failure](err) }
