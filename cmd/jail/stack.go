package main

// growStack has the runtime make the calling goroutine's stack as large as a run
// needs, at once. It would double it four times on the way, and each time look up
// every frame in tables whose pages are not there yet: a twentieth of a short
// run. Its frame, stated in assembly since Go would clear it, is what needs the
// room.
func growStack()
