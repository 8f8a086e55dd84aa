package jail

// landlockABI is the kernel's, 0 where there is none.
func landlockABI() int {
	abi, _ := askLandlock()
	return abi
}
