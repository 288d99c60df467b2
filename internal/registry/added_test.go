package registry_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

// Who adds and removes agents at the same time, from terminals and scripts, keeps what the others have done.
func TestAgentsAreAddedAtTheSameTime(t *testing.T) {
	c := newComputer(t)
	if err := c.open().Add("unwanted", registry.Added{Command: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	var everybody []*registry.Registry // each has read the file before any has changed it, as processes do
	for range 20 {
		everybody = append(everybody, c.open())
	}
	var running sync.WaitGroup
	for i, r := range everybody {
		running.Go(func() {
			if err := r.Add(fmt.Sprintf("agent%d", i), registry.Added{Command: []string{"x"}}); err != nil {
				t.Error(err)
			}
		})
	}
	running.Go(func() {
		if err := c.open().Remove("unwanted"); err != nil {
			t.Error(err)
		}
	})
	running.Wait()
	names := c.open().Names()
	for i := range everybody {
		if name := fmt.Sprintf("agent%d", i); !slices.Contains(names, name) {
			t.Errorf("%s is lost", name)
		}
	}
	if slices.Contains(names, "unwanted") {
		t.Error("what was removed is back")
	}
}
