package shellword

// Shown is [Text] of a path of somebody else's choice, of which at most 160 bytes are told.
func Shown(p string) string {
	const longest = 160
	if len(p) > longest {
		return Text(p[:longest]) + "…"
	}
	return Text(p)
}

// NameLetters are the characters of names of variables and the like.
const NameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
