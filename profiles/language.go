package profiles

// Interpreter is the name by which the profile looks for its interpreter first, such
// as "node", or "" if it has none.
func (p *Profile) Interpreter() string {
	if names := p.settings.run.interpreter; len(names) > 0 {
		return names[0]
	}
	return ""
}
