package jail

// changed is what the Spec opens or closes in a layer beyond its defaults, as the
// flags that say so. A profile may have said it.
func (p *Plan) changed(l LayerName) (flags []string) {
	loopback := p.spec.Net == NetLoopback
	switch {
	case l == LayerNamespaces && loopback, l == LayerLandlock && loopback && p.handled.abi >= abiPorts:
		return []string{"--net loopback"}
	case l != LayerSeccomp || p.filter.program == nil:
		return nil
	}
	for _, call := range p.spec.Seccomp.Allow {
		flags = append(flags, "--allow-syscall "+call)
	}
	for _, call := range p.spec.Seccomp.Deny {
		flags = append(flags, "--deny-syscall "+call)
	}
	if p.spec.Unix && !unixUnasked(p.spec, p.handled.abi) { // else they are open anyway
		flags = append(flags, "--unix")
	}
	if loopback {
		flags = append(flags, "--net loopback")
	}
	return flags
}
