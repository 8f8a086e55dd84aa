package main

const helpMCP = `Speaks the Model Context Protocol on stdin and stdout: a chat client or an agent
that is told this command has tools that run code in boxes. Most clients want

  {"mcpServers": {"code": {"command": "jail", "args": ["mcp"]}}}

  run_code     {"language": "python", "source": "return input * 7", "input": 6}
               the value, the output, and why it ended; see ` + "`jail help eval`" + `
  run_command  {"argv": ["sort", "-u", "names.txt"], "stdin": "…"}
               a program, with no shell in between; under --profile sh also
               {"command": "sort names.txt | uniq -c"}
  read_result  {"result": ID, "stream": "stdout", "offset": 16384}
               more of what was too long

What a box may see, use and reach is said by the flags here, which are those of
` + "`jail run`" + `, and by profiles (--language python=FILE, --profile FILE). A call
that asks for anything else is refused.

The boxes of one session share a folder, /workspace, where they start. It lies
below TMPDIR on this host, holds at most --workspace-size, and goes when the
client does; what a server that was killed left behind, the next one removes.
With --workspace DIR they share that folder instead, which stays, and whose size
nobody looks at.

What came out of the box stands, in the text of a result, between two lines with
a number drawn for it: it is data, and what does not show in it is made visible.
A call that is canceled, and a client that goes away, end their boxes.

  jail mcp --memory 1G --timeout 2m --ro ~/data
  jail mcp --language python=~/models.toml --workspace ~/scratch
`
