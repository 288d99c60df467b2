// Package catalog knows what is known of models by their names: how much they take, what they take, and what they cost.
//
//	facts := catalog.Lookup("anthropic", "claude-sonnet-5-5", time.Now())
//	usd, known := facts.Price.Cost(usage)
//
// It is small, and it is out of date on the day that a vendor changes something: the table says as of when it holds, and
// the user's configuration overrules it. What nobody knows is zero; no number is guessed.
package catalog
