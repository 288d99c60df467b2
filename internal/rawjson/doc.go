// Package rawjson reads and writes JSON text in place, without building values.
//
// It is the floor under the wire: the envelope reader of package jsonrpc and the hand-written codecs of package acp
// share it, so that a message is checked once and each of its strings is looked at once. Whatever is not on that path
// uses github.com/go-json-experiment/json.
//
//	end, err := rawjson.Skip(text, 0) // check one value, find its end
//	for m := range rawjson.Members(object) {
//		fmt.Println(m.Name(), string(m.Value))
//	}
//	text = rawjson.AppendString(nil, "héllo") // write a string literal
//
// The package is lenient where peers are known to be sloppy: strings may hold invalid UTF-8 (read and written as
// U+FFFD), lone surrogates and U+2028, and an object may repeat a name (the last one counts, which is up to the caller
// of Members). It is strict about everything else of RFC 8259.
package rawjson
