package mcpserver

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A request that its client has canceled is not to be answered (notifications/cancelled of
// the protocol): clients have forgotten its id, and some take an answer for a fault. The
// library ends such a request, and answers all the same; here the answer is left out.
type unanswered struct {
	mu       sync.Mutex
	canceled map[jsonrpc.ID]bool // of requests that have no answer yet
}

// read takes note of what the client sent.
func (u *unanswered) read(m jsonrpc.Message) {
	request, ok := m.(*jsonrpc.Request)
	if !ok {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if request.ID.IsValid() {
		if u.canceled == nil {
			u.canceled = map[jsonrpc.ID]bool{}
		}
		u.canceled[request.ID] = false
		return
	}
	var params struct{ RequestID any }
	if request.Method != "notifications/cancelled" || json.Unmarshal(request.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if _, open := u.canceled[id]; err == nil && open {
		u.canceled[id] = true
	}
}

// wanted says whether a message is to be sent.
func (u *unanswered) wanted(m jsonrpc.Message) bool {
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		return true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	canceled := u.canceled[response.ID]
	delete(u.canceled, response.ID)
	return !canceled
}
