//go:build !race

package fusion_test

const raceEnabled = false
