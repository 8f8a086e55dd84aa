package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offered are the methods of what this server says that it is capable of, which is tools.
var offered = []string{"initialize", "ping", "tools/list", "tools/call"}

// notOffered answers every other request as JSON-RPC has it for a method that there is none
// of: the library has answers for those of resources, prompts and logs as well, and a client
// that tries what there is would believe them.
func notOffered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if !slices.Contains(offered, method) && !strings.HasPrefix(method, "notifications/") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server has tools alone: there is no " + method}
		}
		return next(ctx, method, req)
	}
}
