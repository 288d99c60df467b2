package model

import "testing"

func TestErrorSaysWhoAndWhy(t *testing.T) {
	for _, c := range []struct {
		err       Error
		want      string
		retryable bool
	}{
		{Error{Provider: "p", Status: 429, Message: "slow down"}, "the model's provider p failed with status 429: slow down", true},
		{Error{Provider: "p", Status: 401, Message: "bad key"}, "the model's provider p failed with status 401: bad key", false},
		{Error{Provider: "p", Status: 500, Final: true, Message: "no"}, "the model's provider p failed with status 500: no", false},
		{Error{Provider: "p", Message: "no route"}, "the model's provider p failed: no route", true},
	} {
		if c.err.Error() != c.want || c.err.Retryable() != c.retryable {
			t.Errorf("got %q, retryable %t", c.err.Error(), c.err.Retryable())
		}
	}
}
