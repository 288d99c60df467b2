// Package wire is what the wire formats of all providers have in common: their options, how much of an answer is
// read, where a key may not go, and how a failure is told.
//
//	if err := o.Complete("anthropic", "https://api.anthropic.com"); err != nil {
//		return nil, err
//	}
//	client := o.Client()
//
// The vocabulary of the models is in package model; what one provider has of its own is in the provider's package.
package wire
