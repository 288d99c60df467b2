// Package ledger keeps on disk what package policy only knows in memory: the answers of the user's that outlive a session,
// and a log of every decision.
//
//	grants := &policy.Grants{Store: ledger.NewGrants("/home/me/.local/state/patchbay/grants.json")}
//	log, err := ledger.OpenLog("audit.jsonl")
//	…
//	decision := p.Decide(call)
//	if err := log.Append(ledger.EntryOf(call, decision)); err != nil {
//		return deny // what can't be written down is not done
//	}
//
// Several processes may use the same files at once: a change is made under a lock of the operating system, which no crash
// leaves behind. Waiting for it ends after LockTime.
//
// # The log
//
// The log is a file to which lines are added, a JSON object each. Every line has its number and the SHA-256 of the line
// before, so that Verify finds
//
//   - a line that was changed, put in, taken out or moved, if a line after it has not been written anew as well;
//   - a line that was not finished, as after a loss of power;
//   - lines that are missing at the beginning.
//
// There is no key in this. Whoever may write the file can replace the end of it by another one that fits, or cut it off, and
// the file alone doesn't show that. What shows it is the hash of the last line, the head, kept where the writer of the file
// can't reach it: in the record of a CI job, in another account. Verify is told the head, and says whether the file still
// goes that far. A Log notices by itself if lines that it has written are gone at its next line.
//
// The log has command lines, names of files and addresses as the agent sent them, with whatever secrets these contain. It is
// made so that only its owner can read it.
package ledger
