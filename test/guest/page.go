package main

// page is the document of all results.
func page(all []result) string {
	return ""
}
