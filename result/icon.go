package result

// Icon is a picture that clients may show beside a name. Revisions before 2025-11-25 do
// not know it.
type Icon struct {
	// Src is an https or a data URI; required.
	Src string
	// MIMEType is such as "image/png"; empty says nothing.
	MIMEType string
	// Sizes are such as "48x48" or "any"; empty says nothing.
	Sizes []string
	// Theme is "light" or "dark"; empty suits both.
	Theme string
}
