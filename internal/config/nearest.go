package config

// Nearest returns the one of several words that a word was probably meant to be, or "".
func Nearest(word string, words []string) string {
	best, least := "", max(2, len(word)/3)+1
	for _, w := range words {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// maxWord is how long a word may be to be compared.
const maxWord = 64

// distance is how many letters have to be changed, added or left out to make one word of another (Levenshtein).
func distance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return maxWord
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := row[0] // of the row before, one to the left
		row[0] = i + 1
		for j := range len(b) {
			same := above
			if a[i] != b[j] {
				same++
			}
			above = row[j+1]
			row[j+1] = min(same, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
