package mcpserver

import (
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestRefusalHasCode: an error of the library's without a code, as that of a request
// before initialize, is an invalid request; one with a code keeps it.
func TestRefusalHasCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("too early"), `"code":-32600,"message":"too early"`},
		{&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "none"}, `"code":-32601,"message":"none"`},
	} {
		out := &written{}
		c := &connection{out: out}
		request := c.decode([]byte(`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`)).(*jsonrpc.Request)
		if err := c.Write(t.Context(), &jsonrpc.Response{ID: request.ID, Error: test.err}); err != nil || !strings.Contains(out.String(), test.want) {
			t.Errorf("%v: %v: %s", test.err, err, out.String())
		}
	}
}

// TestMethodsNotOffered: what the server does not say that it has is no method.
func TestMethodsNotOffered(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	for method, ask := range map[string]func() error{
		"resources/list": func() error { _, err := s.client.ListResources(t.Context(), nil); return err },
		"prompts/list":   func() error { _, err := s.client.ListPrompts(t.Context(), nil); return err },
	} {
		var refused *jsonrpc.Error
		if err := ask(); !errors.As(err, &refused) || refused.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("%s: %v, want that there is no such method", method, err)
		}
	}
	if err := s.client.Ping(t.Context(), nil); err != nil {
		t.Error("ping:", err)
	}
}
