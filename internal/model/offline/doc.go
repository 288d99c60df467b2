// Package offline has the language model that needs nothing: no network, no key. It is no language model at all, but an
// interpreter of a small command language, deterministic, that drives the same tools as the others.
package offline
