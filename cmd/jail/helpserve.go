package main

const helpServe = `Listens on a Unix socket and runs boxes for who asks there: programs of any
language by HTTP and JSON, and people by the same command as ever:

  jail serve --socket ~/.jail/sock --warm python=4 --workspace ~/jobs
  jail run --via ~/.jail/sock --profile python --workspace ~/jobs ~/jobs/a.py
  curl --unix-socket ~/.jail/sock http://jail/v1/run \
      -d '{"profile": "python", "args": ["-c", "print(6*7)"]}'

POST /v1/run takes a request and answers with the record, output included; GET
/v1/schema is the request's JSON Schema, GET /v1/status what the server does.
A run is ended when its caller closes the connection.

A box that is ready runs one program and is thrown away. It is taken for a run
that differs from it in nothing but the program, its arguments and environment:
give ` + "`run --via`" + ` the flags that ` + "`serve`" + ` had. Others are made when asked for, and
so are those of a pool that is empty; the record's "warm" says which it was.

Where a box with these flags is refused, as for want of a control group, the
server does not start. If all who ask say --optional or --tier 2, give it these
as well.

Only the server's own user, and root, can ask. What a run may be granted is what
that user may open: grant no box the folder of a socket.

SIGTERM, SIGINT and SIGHUP drain: no new work is taken, what runs may go on for
--drain-timeout, and then is canceled; so is it by a second signal.
`
