"""python3 client.py JAIL-ARGUMENTS… <stdin    such as: eval --profile python"""

import json
import subprocess
import sys

ANSWERS = {
    "ok": "value",
    "execution_failed": "mistake",
    "signaled": "mistake",
    "invalid_output": "mistake",
    "exec_failed": "mistake",
    "syscall_denied": "mistake",
    "timeout": "limit",
    "cpu_time": "limit",
    "output_too_large": "limit",
    "out_of_memory": "limit",
    "pids_limit": "limit",
    "disk_full": "limit",
    "canceled": "canceled",
    "setup_refused": "host",
    "internal_error": "broken",
}


def jail(args, stdin=b"", command="jail"):
    """Run jail and return its record. An exception in here ends the box."""
    with subprocess.Popen(
        [command, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            out, _ = process.communicate(stdin)
        except BaseException:
            process.terminate()
            raise
    try:  # the newline is a whole record's end
        record = json.loads(out) if out.endswith(b"\n") else None
    except ValueError:
        record = None
    if not isinstance(record, dict) or record.get("schema") != "jail/1":
        raise RuntimeError("jail left no record")
    return record


def printed(stream):
    """What a program wrote: text, or {"base64": …} of what is no UTF-8."""
    base64 = stream.get("encoding") == "base64"
    return {"base64": stream["text"]} if base64 else stream["text"]


def answer_to(record):
    """What a record comes to: see the table in README.md."""
    # A reason that this program does not know is one of a later version.
    return ANSWERS.get(record["reason"], "broken")


def main():
    try:
        record = jail(sys.argv[1:], sys.stdin.buffer.read())
    except (OSError, RuntimeError) as e:  # it is not installed, it left no record
        sys.exit(str(e))
    answer = answer_to(record)
    if answer == "value" and "value" in record:  # of eval
        print("value", json.dumps(record["value"]))
    elif answer == "value":  # of run
        encoding = record["stdout"].get("encoding")
        print("value", *filter(None, [encoding]), json.dumps(record["stdout"]["text"]))
    else:
        print(f"{answer} {record['reason']}: {record['message']}")


if __name__ == "__main__":
    main()
