package protocol

import (
	"encoding/json/jsontext"
	"log/slog"
	"slices"
)

// logLevel is how grave a log record must be for the client to get it, see
// server/utilities/logging; 0 is that it gets none.
type logLevel uint32

// logLevels are the names, by number, from the mildest on.
var logLevels = []string{"", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func (l logLevel) String() string { return logLevels[l] }

// readLogLevel reads the name of a level.
func readLogLevel(raw jsontext.Value) (level logLevel, ok bool) {
	if !isString(raw) {
		return 0, false
	}
	i := slices.Index(logLevels, string(unquote(raw)))
	return logLevel(max(i, 0)), i > 0
}

// logLevelOf is the level of a record. Those between two names of slog are the milder one,
// but for notice, which slog has none of.
func logLevelOf(level slog.Level) logLevel {
	switch {
	case level < slog.LevelInfo:
		return 1
	case level < slog.LevelInfo+2:
		return 2
	case level < slog.LevelWarn:
		return 3
	case level < slog.LevelError:
		return 4
	case level < slog.LevelError+4:
		return 5
	}
	return 6
}

// wants reports that a client with this level gets a record of that one.
func (l logLevel) wants(level slog.Level) bool { return l != 0 && logLevelOf(level) >= l }

// logLevel is the level that the client of a request asked for: in the request itself, or
// in its session.
func (x *exchange) logLevel() logLevel {
	if !x.rev.stateless() {
		return logLevel(x.session.logLevel.Load())
	}
	level, _ := readLogLevel(x.msg.params.meta.logLevel)
	return level
}

// setLogLevel answers logging/setLevel.
func setLogLevel(x *exchange, dst []byte) ([]byte, *fault) {
	level, ok := readLogLevel(x.msg.params.level)
	if !ok {
		return dst, badLogLevel
	}
	x.session.logLevel.Store(uint32(level))
	return x.shared(dst)
}

var badLogLevel = invalidParams("Invalid params: the log level must be one of debug, info, notice, warning, error, critical, alert, emergency")
