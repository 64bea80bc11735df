package scope

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
)

// maxText bounds what one panic may put into the log.
const maxText = 8 << 10

// Text describes any value for the log, as the runtime does for a panic: what an error or
// a Stringer says, and basic values; of others only the type, since walking through them
// may never end or meet a writer. It never panics.
func Text(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T that cannot say what it is", v)
		}
	}()
	switch x := v.(type) {
	case nil:
		return "nil"
	case error:
		return bounded(x.Error())
	case fmt.Stringer:
		return bounded(x.String())
	}
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.String:
		return bounded(r.String())
	case r.Kind() <= reflect.Complex128: // booleans and numbers
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("a %T", v)
}

func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// Log writes a record with attributes that users made. If one of them panics, or the log
// itself does, the record is written once more with their texts.
func Log(ctx context.Context, log *slog.Logger, level slog.Level, message string, attributes ...any) {
	defer func() {
		if recover() == nil {
			return
		}
		defer func() { _ = recover() }()
		texts := make([]any, len(attributes))
		for i, a := range attributes {
			texts[i] = Text(a)
		}
		log.Log(ctx, level, message, texts...)
	}()
	log.Log(ctx, level, message, attributes...)
}
