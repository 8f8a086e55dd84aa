package profiles

// Interpreter is the name by which the profile looks for its interpreter first, such
// as "node", or "" if it has none.
func (p *Profile) Interpreter() string {
	if names := p.settings.run.interpreter; len(names) > 0 {
		return names[0]
	}
	return ""
}

// RunsModules says whether the profile's interpreter is the engine of WebAssembly, whose
// word on a failure package runner reads.
func (p *Profile) RunsModules() bool { return p.settings.run.engine == engineWasm }
