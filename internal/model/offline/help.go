package offline

import (
	"fmt"
	"strings"
)

// Help lists the offline model's language, as Markdown.
func Help() string {
	var b strings.Builder
	b.WriteString("The offline interpreter understands:\n\n")
	for _, u := range usage {
		fmt.Fprintf(&b, "* `%s` %s\n", u.form, u.does)
	}
	b.WriteString("\nSeveral are joined by `then`: `find TODO then run go test ./...`. Put quotes around what holds a `then`, `with` " +
		"or `in` of its own, and in double quotes `\\n` is a new line: `write notes.txt: \"first\\nthen second\\n\"`. A step that " +
		"fails doesn't stop the next ones. `/demo` lists what can be shown of the protocol.\n")
	return b.String()
}
