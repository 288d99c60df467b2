// Package policy decides what a coding agent may do: what passes, what the user is asked about, and what is denied. It
// asks nobody and touches no file; it is given calls, and says what is to become of them.
//
//	p := policy.Policy{
//		Mode:  policy.ModeAcceptEdits,
//		Deny:  []policy.Rule{policy.MustRule("Read(~/.ssh/**)")},
//		Allow: []policy.Rule{policy.MustRule("Bash(git *)"), policy.MustRule("Bash(npm test)")},
//	}
//	call := policy.FromPermission(policy.Place{CWD: "/home/me/project"}, request)
//	decision := p.Decide(call)
//	if id, ok := policy.Choose(decision.Verdict, request.Options); ok {
//		return acp.PermissionSelected(id) // by the option's kind, with the id that the agent gave it
//	}
//	// The user is asked.
//
// # Order
//
// A rule that denies comes first, then ModePlan, then rules that ask, then rules and grants that allow, and the mode
// last. What restricts is taken as wide as it can be meant, what allows as narrow: if a call isn't clear enough to tell
// whether a rule that denies is about it, the user is asked, and no rule with a pattern allows it. Nothing that isn't
// understood passes, save in ModeBypass, or by a rule for all of a tool.
//
// # Shell lines
//
// A line is read as a shell reads it, and every command counts, at any depth: in pipelines, lists, subshells and
// substitutions, in functions, in here-documents that go to a shell, and what sudo, xargs, env, timeout, find -exec,
// sh -c, eval, trap and the like run in turn. A deny or ask rule is about the line if it is about any of these. Allow
// rules must cover them all, together: "git log | head" takes Bash(git *) and Bash(head *).
//
// Bash(git *) covers git with any arguments, except
//
//   - words that make git do something else than it is known for: -c, -C, --exec, --upload-pack, --output and so on, as
//     with find -exec and -delete, sort -o, tar --to-command, or a script of sed or awk that runs something. A rule
//     that means one of them names it: Bash(git -C sub *).
//   - assignments before the command, which may change what it does: PATH, GIT_PAGER. A rule that means one names it:
//     Bash(CI=1 npm *), Bash(LANG=* sort *).
//   - words that are put together when the line runs and may turn out to be such a flag: git log $X, but not
//     git add -- $X.
//   - git by a path, such as ./git, and a command whose name is a variable or a pattern.
//
// A redirection that writes is an edit, and needs a rule for it, such as Edit(out/**), or a mode that lets edits pass;
// /dev/null is no file. timeout, nice, nohup, time, stdbuf, env without a flag or an assignment, command and exec add
// nothing, so that a rule for what they run is enough; sudo, xargs, sh and find need one of their own as well. "cd" to
// the folder where the line begins anyway needs none. The output of one cat of a here-document with quotes around its
// mark is text: git commit -m "$(cat <<'EOF' …)".
//
// A rule with a pattern is about commands in the session's folders. A call that names another one to run in, and a line
// that can't be read, has characters that make it look like another one, is longer than 64 KiB, or is for cmd.exe or
// PowerShell, are covered by the rule Bash alone.
//
// A rule that denies a command sees what is in the text. It can't see what a script or a program does: a sandbox does.
//
// # Paths
//
// Patterns are those of .gitignore, below the session's folder: "*.go" at any depth, "/main.go" and "src/*.go" there,
// "src/**" all below src. "//etc/hosts" begins at the root of the file system, "~/notes" at the user's home. A pattern
// that allows changes does not cover what is in .git and the like, nor settings of agents, unless it has that name, since
// what is there is run later. One that denies is also about what is below, takes "/etc" for both meanings, and looks for names of
// files among the words of shell lines.
//
// Paths are compared after links if Policy.Real is set; otherwise whoever makes a Call gives real paths.
//
// # Grants
//
// When the user answers "always", Suggest says what that covers, in a form to be shown, and Grants keeps exactly that,
// for the session, for the folder or everywhere, until it is revoked.
// A Store keeps those that outlive a session; package ledger has one in a file, and a log of
// decisions.
//
// # Tests
//
// ParseCall reads a call as people write it, Test.Check compares what was decided with what was wanted, and Explain says how a
// decision came about.
package policy
