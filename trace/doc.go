// Package trace is the file format for what crossed the wire between a client and an agent: one JSON object a line, each
// frame of both directions as it was, with its time.
//
//	file, err := os.OpenFile("trace.ndjson", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	tracer := trace.NewWriter(file, trace.Options{Program: "my-editor 1.0.0"})
//	defer tracer.Close()
//	c, err := client.Spawn(ctx, command, handler, client.Options{Observe: tracer.Observe})
//
// # The format
//
// The first line says what the file is; every other line is a frame or, where frames are missing, says so:
//
//	{"format":"patchbay-trace","version":1,"time":"2026-01-02T15:04:05.000000001Z","program":"my-editor 1.0.0","redacted":true}
//	{"time":"…","dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{…}}}
//	{"time":"…","dir":"agent->client","text":"npm warn deprecated …"}
//	{"time":"…","dir":"agent->client","tooLarge":{"size":70000000,"id":7,"method":"session/update"}}
//	{"time":"…","lost":12}
//
//	time      when the frame was read, or handed to the writer; RFC 3339 with nanoseconds, in UTC
//	dir       who said it to whom: "client->agent" or "agent->client", whichever side wrote the trace
//	msg       a frame that is JSON, with its bytes as they were on the wire, which need not be UTF-8 (jq and most others
//	          replace what isn't); line breaks in it are spaces
//	text      a frame that is no JSON but UTF-8: banners, log lines
//	base64    a frame that is neither
//	tooLarge  a frame over the connection's limit, which was not kept: its size in bytes, and its id and method if known
//	lost      how many frames of either direction are missing here, since the file could not be written fast enough
//
// Later versions may add members and other lines; a Reader passes over what it does not know.
//
// # Secrets
//
// Traces end up in bug reports, so that a Writer replaces what looks like a credential by "[redacted]" unless Options.Raw
// is set (F174). Only strings change, and only these:
//
//   - the values of members whose names end like a credential's: token, secret, password, apiKey, authorization, cookie
//     and the like, in any case and with - or _
//   - the values of all environment variables and HTTP headers (members env and headers, as lists or as objects)
//   - whatever authenticate sends beside the name of the method
//   - in command arguments, the one after a flag of such a name; in these, in URLs and in text that is no JSON, what
//     follows such a name and = or :, and what follows Bearer or Basic
//
// It is a net, not a wall. What stands in prompts, in files and in the output of commands is the conversation itself, and
// stays.
package trace
