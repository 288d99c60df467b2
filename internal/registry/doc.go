// Package registry says which agents exist, how each is started, and where it is on this computer.
//
//	r, err := registry.Open(registry.Options{})
//	if err != nil {
//		return err
//	}
//	found, err := r.Find(ctx, "claude")
//	if err != nil {
//		return err // says what was probably meant, or where it looked and how the agent is installed
//	}
//	c, err := client.Spawn(ctx, found.Command(), handler, client.Options{})
//
// A name is that of an agent which the user has added, else of one that was installed by `patchbay agents install`, else of a
// known one, which is looked for where programs are. Nothing here uses the network but [Registry.Install].
package registry
