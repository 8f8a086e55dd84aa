package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostMessage is how long one message may be. What is longer is answered with an
// error, and passed over.
const mostMessage = 16 << 20

// stdio is the transport of the protocol's own stdio, one message a line. Unlike the
// library's it goes on after a line that is too long, nested too deep or no message
// at all: a model's arguments are in these lines, and a bad one must not end the
// session and take its workspace along.
type stdio struct {
	in  io.Reader
	out io.WriteCloser
}

func (t *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{out: t.out, lines: make(chan line), closed: make(chan struct{})}
	go c.read(bufio.NewReaderSize(t.in, 64<<10))
	return c, nil
}

// A line is one message, or why there are no more.
type line struct {
	text []byte
	long *idScanner // of one that is too long, instead of its text
	err  error
}

type connection struct {
	lines chan line
	batch []json.RawMessage // the rest of the last line, which was a list

	writing sync.Mutex
	out     io.WriteCloser

	close  sync.Once
	closed chan struct{}

	unanswered unanswered
}

func (*connection) SessionID() string { return "" }

// Close lets Read return. The input can't be closed under a read that waits; nothing
// is read from it any more.
func (c *connection) Close() error {
	var err error
	c.close.Do(func() {
		close(c.closed)
		err = c.out.Close()
	})
	return err
}

func (c *connection) read(r *bufio.Reader) {
	for {
		text, long, err := readLine(r, mostMessage)
		if err == nil || len(text) > 0 || long != nil {
			if !c.pass(line{text: text, long: long}) {
				return
			}
		}
		if err != nil {
			c.pass(line{err: err})
			return
		}
	}
}

func (c *connection) pass(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

// readLine reads a line. Of one that is longer than most there is only its id.
func readLine(r *bufio.Reader, most int) (text []byte, long *idScanner, err error) {
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case long != nil:
			long.scan(part)
		case len(text)+len(part) > most:
			long = &idScanner{}
			long.scan(text)
			long.scan(part)
			text = nil
		default:
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

// Read returns the next message. What is none is answered here.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.batch) > 0 {
			text := c.batch[0]
			c.batch = c.batch[1:]
			if m := c.decode(text); m != nil {
				return m, nil
			}
			continue
		}
		var l line
		select {
		case l = <-c.lines:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
		if l.err != nil {
			return nil, l.err
		}
		text := bytes.TrimSpace(l.text)
		switch {
		case l.long != nil:
			c.refuse(l.long.found(), jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message must have at most %d bytes", mostMessage))
		case len(text) == 0:
		case text[0] == '[': // only the protocol of 2025-03-26 has lists of messages
			switch err := json.Unmarshal(text, &c.batch); {
			case err != nil:
				c.refuse(nil, jsonrpc.CodeParseError, wantMessage)
			case len(c.batch) == 0:
				c.refuse(nil, jsonrpc.CodeInvalidRequest, "a list of messages must not be empty")
			}
		default:
			if m := c.decode(text); m != nil {
				return m, nil
			}
		}
	}
}

const wantMessage = "a line must be one JSON-RPC message, nested no deeper than 10000 levels"

// decode reads one message; nil has been answered.
func (c *connection) decode(text []byte) jsonrpc.Message {
	if !json.Valid(text) {
		c.refuse(idOf(text), jsonrpc.CodeParseError, wantMessage)
		return nil
	}
	var has struct{ ID, Method, Result, Error json.RawMessage }
	m, err := jsonrpc.DecodeMessage(text)
	if err == nil && (json.Unmarshal(text, &has) != nil || has.Method == nil && has.Result == nil && has.Error == nil) {
		err = errors.New("it has neither a method nor a result nor an error")
	}
	if err == nil && has.Method != nil && has.ID != nil && !isID(has.ID) {
		err = errors.New("its id must be a string or an integer of less than 2^53")
	}
	if err != nil {
		c.refuse(idOf(text), jsonrpc.CodeInvalidRequest, "this is no JSON-RPC message: "+err.Error())
		return nil
	}
	c.unanswered.read(m)
	return m
}

// isID says whether it is an id under which an answer comes back as it is: the library
// keeps strings and the integers that doubles have, and would make 1 of 1.5.
func isID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n > -1<<53 && n < 1<<53
}

// refuse answers what is no message, under its id where one can be made out: whoever
// sent it would wait for ever.
func (c *connection) refuse(id json.RawMessage, code int64, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		c.write(answer)
	}
}

func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	if !c.unanswered.wanted(m) {
		return nil
	}
	text, err := jsonrpc.EncodeMessage(coded(m))
	if err != nil {
		return fmt.Errorf("mcp: encoding a message: %w", err)
	}
	return c.write(text)
}

// coded gives the answer that refuses a request a code: the library has none, which is
// sent as 0, for what comes before initialize and for a second one of these, and no
// client has a meaning for 0.
func coded(m jsonrpc.Message) jsonrpc.Message {
	r, ok := m.(*jsonrpc.Response)
	if !ok || r.Error == nil {
		return m
	}
	var e *jsonrpc.Error
	if errors.As(r.Error, &e) && e.Code != 0 {
		return m
	}
	with := *r
	with.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: r.Error.Error()}
	return &with
}

func (c *connection) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}
