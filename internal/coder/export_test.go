package coder

import "github.com/patchbay-dev/patchbay/internal/model"

// With returns an agent with another model.
func With(m model.Model) *Coder {
	c, err := New(Options{})
	if err != nil {
		panic(err)
	}
	c.model = m
	return c
}

// Trim is trim.
func Trim(conversation []model.Message, limit uint64) []model.Message {
	return trim(conversation, limit)
}

// Demos are the names of all demos.
func Demos() (names []string) {
	for _, d := range demos() {
		names = append(names, d.name)
	}
	return names
}
