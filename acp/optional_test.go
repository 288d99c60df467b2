package acp

import (
	"encoding/json"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
)

func TestOptional(t *testing.T) {
	var absent Optional[string]
	if v, ok := absent.Get(); !absent.IsZero() || absent.IsNull() || ok || v != "" || absent.Or("x") != "x" {
		t.Error("the zero Optional is not absent")
	}
	if v, ok := Null[string]().Get(); Null[string]().IsZero() || !Null[string]().IsNull() || ok || v != "" {
		t.Error("Null is not null")
	}
	if v, ok := Some("").Get(); Some("").IsZero() || Some("").IsNull() || !ok || v != "" || Some("y").Or("x") != "y" {
		t.Error("Some is not a value")
	}
	type patch struct {
		A Optional[string] `json:"a,omitzero"`
		B Optional[string] `json:"b,omitzero"`
		C Optional[Raw]    `json:"c,omitzero"`
		D Optional[shape]  `json:"d,omitzero"`
	}
	in := patch{B: Null[string](), C: Some(Raw(`[1]`)), D: Some[shape](&circle{Radius: 1})}
	want := `{"b":null,"c":[1],"d":{"type":"circle","radius":1}}`
	text, err := json.Marshal(in)
	if string(text) != want || err != nil {
		t.Errorf("encoding/json: %s, %v", text, err)
	}
	text, err = jsonv2.Marshal(in)
	if string(text) != want || err != nil {
		t.Errorf("go-json-experiment/json: %s, %v", text, err)
	}
	var out patch
	if err := jsonv2.Unmarshal(text, &out); err != nil || !out.A.IsZero() || !out.B.IsNull() || string(out.C.Or(nil)) != "[1]" {
		t.Errorf("go-json-experiment/json: %+v, %v", out, err)
	}
	// encoding/json does not tell null from absence of its own accord: it calls UnmarshalJSON with null all the same.
	if err := json.Unmarshal(text, &out); err != nil || !out.B.IsNull() {
		t.Errorf("encoding/json: %+v, %v", out, err)
	}
}
