// Package process starts a program with all its descendants as one thing, a [Family], that can be asked to end, killed and
// swept up as a whole: nothing that was started for a peer or in a terminal outlives it (F78, F79, F92).
//
// The owner of a family sees it out in this order, since a number is given away once its process has been reaped:
//
//	f, err := process.Start(cmd)
//	...
//	f.AwaitDeath()               // from now on, no Terminate and no Kill
//	f.Finish()                   // kills what is left
//	if cmd.ProcessState == nil { // AwaitDeath reaps on some systems
//		_ = cmd.Wait()
//	}
//	f.Release()
//
// On Linux descendants are found by their group and by a mark in their environment, elsewhere on Unix by their group, on
// Windows by their job object.
package process
