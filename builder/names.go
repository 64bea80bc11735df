package builder

import (
	"errors"
	"fmt"
	"strings"
)

// maxName is what common clients accept of a name on the wire.
const maxName = 64

// wireName turns a dotted id into the name that clients see.
func wireName(id string, keepDots bool) (string, error) {
	for segment := range strings.SplitSeq(id, ".") {
		if err := checkSegment(segment); err != nil {
			return "", err
		}
	}
	name := id
	if !keepDots {
		name = strings.ReplaceAll(id, ".", "_")
	}
	if len(name) > maxName {
		return "", fmt.Errorf("the name %q has %d characters; clients accept %d, so shorten it", name, len(name), maxName)
	}
	return name, nil
}

func checkSegment(segment string) error {
	if strings.TrimSpace(segment) == "" {
		return errors.New("the name is empty or has an empty segment between dots; name each segment")
	}
	letters := false
	for _, r := range segment {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			letters = true
		case r != '_' && r != '-':
			return fmt.Errorf("the name has %q; clients accept only letters, digits, _ and - in %q", r, segment)
		}
	}
	if !letters {
		return fmt.Errorf("the name segment %q has no letter or digit", segment)
	}
	return nil
}

// join puts a prefix before a name; either may be empty.
func join(prefix, name string) string {
	if prefix == "" || name == "" {
		return prefix + name
	}
	return prefix + "." + name
}
