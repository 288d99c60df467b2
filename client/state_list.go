package client

import (
	"iter"
	"slices"
)

// A List is a sequence as it was when a State was asked for it. It never changes, costs no copy of the items, and may be
// kept and walked while updates go on. The zero List is empty.
type List[T any] struct {
	chunks []*chunk[T]
	skip   int // items of the first chunk that do not belong to the list
	n      int
}

// Len returns the number of items.
func (l List[T]) Len() int { return l.n }

// At returns item i, counted from 0. It panics if there is none, as a slice does.
func (l List[T]) At(i int) T {
	if i < 0 || i >= l.n {
		panic("client: List.At: index out of range")
	}
	i += l.skip
	return l.chunks[i/chunkSize].items[i%chunkSize]
}

// All yields the items in order, with their indexes.
func (l List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range l.n {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// Values yields the items in order.
func (l List[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range l.n {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Slice returns a copy of the items. It costs as much as the list is long.
func (l List[T]) Slice() []T { return slices.Collect(l.Values()) }

// chunkSize is a compromise: what is copied for each change after a view is one chunk, and one pointer per chunk.
const chunkSize = 64

type chunk[T any] struct {
	items [chunkSize]T
	epoch uint64 // chunks of earlier epochs are shared with views and copied before they are changed
}

// A vector is a list that grows at its end, loses items at its beginning, and can be viewed as a List at any time.
// Positions count all items that there ever were, so that dropping the first ones moves none.
type vector[T any] struct {
	chunks []*chunk[T]
	base   int    // position of the first item of the first chunk
	first  int    // position of the first item that is still there
	end    int    // position of the next item
	epoch  uint64 // counts views
	top    uint64 // epoch of the slice chunks
}

// view returns what is in the vector now.
func (v *vector[T]) view() List[T] {
	v.epoch++
	return List[T]{chunks: v.chunks, skip: v.first - v.base, n: v.end - v.first}
}

// own makes the chunk of a position fit to be changed, and returns the place of the item.
func (v *vector[T]) own(pos int) *T {
	v.ownTop()
	i := pos - v.base
	c := v.chunks[i/chunkSize]
	if c.epoch != v.epoch {
		c = &chunk[T]{items: c.items, epoch: v.epoch}
		v.chunks[i/chunkSize] = c
	}
	return &c.items[i%chunkSize]
}

func (v *vector[T]) ownTop() {
	if v.top != v.epoch {
		v.chunks = slices.Clone(v.chunks)
		v.top = v.epoch
	}
}

// append adds an item and returns its position.
func (v *vector[T]) append(item T) int {
	pos := v.end
	v.end++
	if pos-v.base == len(v.chunks)*chunkSize {
		v.ownTop()
		v.chunks = append(v.chunks, &chunk[T]{epoch: v.epoch})
	}
	*v.own(pos) = item
	return pos
}

// at returns the item at a position, which must be there.
func (v *vector[T]) at(pos int) T {
	i := pos - v.base
	return v.chunks[i/chunkSize].items[i%chunkSize]
}

// has reports whether there is an item at a position.
func (v *vector[T]) has(pos int) bool { return pos >= v.first && pos < v.end }

// set puts another item in a position. Positions whose item was dropped are ignored.
func (v *vector[T]) set(pos int, item T) {
	if v.has(pos) {
		*v.own(pos) = item
	}
}

// drop removes the first item.
func (v *vector[T]) drop() {
	var zero T
	*v.own(v.first) = zero // so that it is not kept alive
	v.first++
	if v.first-v.base == chunkSize {
		v.chunks = v.chunks[1:]
		v.base += chunkSize
	}
}
