package scope

import "math"

// MaxToken bounds the progress token that each report repeats, in bytes. A longer one
// counts as none.
const MaxToken = 1024

// Progress is what a client was told of how far a call is. The zero value is nothing yet.
// Its user keeps it from concurrent use.
type Progress struct {
	last float64
	told bool
}

// Advance reports that a report may be sent, and takes it as sent: its numbers are finite
// and its progress is more than the last, see basic/utilities/progress.
func (p *Progress) Advance(progress, total float64) bool {
	if !finite(progress) || !finite(total) || p.told && progress <= p.last {
		return false
	}
	p.told, p.last = true, progress
	return true
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
