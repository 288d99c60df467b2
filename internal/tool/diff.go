package tool

import (
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// What a diff shows of a file at most. Beyond maxWholeDiff, it is the part that changes, with diffContext lines around it.
const (
	maxWholeDiff = 256 << 10 // bytes, before and after together
	diffContext  = 10
)

// diffContent shows a change of a file: all of it if it is small, otherwise the part from the first line that changes to the
// last, or if that is too long, in words.
func diffContent(path Path, old *string, text string) []acp.ToolCallContent {
	if old == nil {
		if len(text) > maxWholeDiff {
			return shown(fmt.Sprintf("The new file has %s, too many to show.", bytesText(int64(len(text)))))
		}
		return []acp.ToolCallContent{acp.DiffContent(path.Abs, nil, text)}
	}
	before, after := *old, text
	if len(before)+len(after) > maxWholeDiff {
		before, after = changedPart(before, after)
	}
	if len(before)+len(after) > maxWholeDiff {
		return shown(fmt.Sprintf("The change is too long to show: the file has %s before it and %s after it.",
			bytesText(int64(len(*old))), bytesText(int64(len(text)))))
	}
	return []acp.ToolCallContent{acp.DiffContent(path.Abs, &before, after)}
}

// changedPart cuts from two texts the whole lines at both ends that they have in common, save some.
func changedPart(before, after string) (string, string) {
	begin := len(sameStart(before, after))
	begin = lineStart(before, begin)
	for range diffContext {
		begin = lineStart(before, max(begin-1, 0))
	}
	before, after = before[begin:], after[begin:]
	end := sameEnd(before, after)
	for range diffContext + 1 { // the first one may be the end of a line that changes
		if i := strings.IndexByte(before[len(before)-end:], '\n'); i >= 0 {
			end -= i + 1
		}
	}
	return before[:len(before)-end], after[:len(after)-end]
}

// lineStart returns where the line begins that has the byte at i.
func lineStart(text string, i int) int { return strings.LastIndexByte(text[:i], '\n') + 1 }

// sameStart returns what two texts both begin with.
func sameStart(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// sameEnd returns how many bytes two texts have in common at their ends.
func sameEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
