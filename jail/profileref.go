package jail

// A ProfileRef names the profile that a Spec was made from.
type ProfileRef struct {
	Name string `json:"name"`
	// Digest is "sha256:" and the hex digest of the profile's text, with
	// those it extends.
	Digest string `json:"digest"`
	// Files are where that text lies, and the folder of the user's other profiles: a
	// box that may write to them is refused by who reads them, so no hint says to.
	Files []string `json:"-"`
	// Grants says what gave each grant that a flag or the profile gives; what else is
	// granted came with the program. Nil is for not known: then hints name each grant by
	// the flag of its kind.
	Grants []Given `json:"-"`
	// Dir is the folder that the caller is in, by its real path, where a person or a
	// program that speaks for one types the command; "" is for nobody's. Hints tell of
	// what lies there and was missed in the box.
	Dir string `json:"-"`
	// Denies are those of Seccomp.Deny that the profile names, and no flag takes back.
	Denies []string `json:"-"`
}

// Given says what gave the grant at a path of the box: a flag with its value, as
// "--workspace .", or a key of the profile's, as "view.ro".
type Given struct{ Target, By string }
