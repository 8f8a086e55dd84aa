package main

import "strings"

// nearest is the candidate that word was most likely meant to be, or "": the
// only one that it is the beginning of, or the one that is the fewest edits
// away, at most one for every three letters.
func nearest(word string, candidates []string) string {
	if c := completion(word, candidates); c != "" {
		return c
	}
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// completion is the only candidate that begins with word, or "".
func completion(word string, candidates []string) string {
	if len(word) < 2 {
		return ""
	}
	found := ""
	for _, c := range candidates {
		if !strings.HasPrefix(c, word) {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour to get from a to b (optimal string alignment).
func distance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
