package main

import (
	"fmt"
	"slices"
	"time"
)

var promptRows = []row{
	{value: "mb", title: "MB/s of text", digits: 1, more: true},
	{value: "receiver", title: "peak memory of the agent, × text", digits: 2},
	{value: "sender", title: "peak memory of the client, × text", digits: 2},
	{value: "allocated", title: "heap allocated, both ends, × text", digits: 2},
}

// runPrompt measures one big prompt from the client to the agent: the speed of the median of a few, and the memory that
// the first one took at most beyond what there was before, where the sender's own text counts as there before.
func runPrompt(j job) (values, error) {
	st := stacks[j.Stack]
	r, err := j.spawn(func(session, text string) {})
	if err != nil {
		return nil, err
	}
	defer r.close()
	session := sessionName(1)
	text := sample(j.Size)
	want := int64(len(st.arrives(text)))

	if err := r.do(session, "settle"); err != nil {
		return nil, err
	}
	agentBefore, err := r.stats()
	if err != nil {
		return nil, err
	}
	settle()
	before := takeStats()

	var took []time.Duration
	v := values{}
	for i := range j.Count {
		start := time.Now()
		if err := r.do(session, text); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
		if i > 0 {
			continue
		}
		after := takeStats()
		agentAfter, err := r.stats()
		if err != nil {
			return nil, err
		}
		if agentAfter.Received != want {
			return nil, fmt.Errorf("%d bytes of %d arrived", agentAfter.Received, want)
		}
		size := float64(j.Size)
		if j.Stack == "floor" {
			continue // its buffer has doubled to a size that says nothing about others
		}
		if before.Resident > 0 {
			v["sender"] = float64(after.Peak-before.Resident) / size
			v["receiver"] = float64(agentAfter.Peak-agentBefore.Resident) / size
		}
		v["allocated"] = float64(after.Allocated-before.Allocated+agentAfter.Allocated-agentBefore.Allocated) / size
	}
	slices.Sort(took)
	v["mb"] = float64(j.Size) / 1e6 / took[len(took)/2].Seconds()
	return v, nil
}
