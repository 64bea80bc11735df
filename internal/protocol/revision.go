package protocol

// revision is a protocol revision that is served. Later ones are greater; 0 is none.
type revision uint8

const (
	rev20241105 revision = iota + 1 // on streams alone
	rev20250326
	rev20250618
	rev20251125
	rev20260728
)

// newestSession is what a client is offered that asks for an unknown revision in
// initialize, see basic/lifecycle of revision 2025-11-25.
const newestSession = rev20251125

// revisions are the names, by number.
var revisions = [...]string{
	rev20241105: "2024-11-05",
	rev20250326: "2025-03-26",
	rev20250618: "2025-06-18",
	rev20251125: "2025-11-25",
	rev20260728: "2026-07-28",
}

// supported are the names as clients are told, the best first.
var supported = []string{
	revisions[rev20260728], revisions[rev20251125], revisions[rev20250618], revisions[rev20250326],
}

func (r revision) String() string { return revisions[r] }

// parseRevision finds a revision by its name. The one that is on streams alone is none of
// them.
func parseRevision[S string | []byte](name S) revision {
	for r := rev20250326; r <= rev20260728; r++ {
		if revisions[r] == string(name) {
			return r
		}
	}
	return 0
}

// stateless reports that each request stands alone: there is no session and no initialize.
func (r revision) stateless() bool { return r >= rev20260728 }

// annotated reports that there are tool annotations and audio, which 2025-03-26 brought.
func (r revision) annotated() bool { return r >= rev20250326 }

// structured reports that there are titles, structuredContent and outputSchema, resource
// links, _meta on blocks and lastModified, which 2025-06-18 brought.
func (r revision) structured() bool { return r >= rev20250618 }

// illustrated reports that there are icons and website URLs, which 2025-11-25 brought.
func (r revision) illustrated() bool { return r >= rev20251125 }
