// Package config says how Patchbay is set up: which model, with which key, at which address, and where each of these
// choices was made. Every subcommand reads it the same way (F121).
//
//	c, err := config.Load(config.Options{Dir: cwd, Flags: map[string]string{"model": "anthropic/claude-sonnet-5-5"}})
//	if err != nil {
//		return err // says the file, the line and the column
//	}
//	choice, err := c.Choose()
//
// A value comes from the first of these that has it: a flag, the environment, the project's patchbay.toml, the user's
// patchbay.toml, the default. A file is read strictly: a key that doesn't exist and a value of the wrong type are errors.
//
// The project's file comes with whatever was cloned, so it is not trusted with what belongs to the user:
//
//   - It never decides what runs without asking, which variable of the environment is sent as a key, or whom to trust.
//   - The address that it gives a provider gets none of the user's keys, and is used at all only if it is on this machine.
//     An address that the user's file lists under trusted_urls is used as if the user had given it.
//   - Nothing in it is executed, and nothing in it is fetched, when it is read.
//
// Keys live in the environment or in a file of their own, which only the user can read. They are Secrets, which print as
// "[redacted]" whichever way they are printed (F174).
package config
