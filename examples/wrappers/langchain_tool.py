"""run_code as a LangChain tool, by the client beside this folder."""

import json
import pathlib
import sys

from langchain_core.tools import tool

sys.path.append(str(pathlib.Path(__file__).parent.parent / "python"))
from client import answer_to, jail, printed

# What the box may do is said here and nowhere else: no argument of the tool reaches
# jail's command line.
BOX = ["eval", "--profile", "python", "--timeout", "20s", "--memory", "512M"]


@tool
def run_code(source: str, input: str = "null") -> str:
    """Run Python in a box. source is the body of a function: `return` gives the
    value; input, a JSON text, is what it finds as `input`."""
    try:
        request = json.dumps({"source": source, "input": json.loads(input)})
    except ValueError as error:
        return f"input must be JSON: {error}"
    record = jail(BOX, request.encode())
    answer = answer_to(record)
    refused = record.get("refusal", {}).get("operation") == "source"  # for a NUL in it, for one
    if answer == "host" and not refused or answer == "broken":  # nothing that the model could mend
        raise RuntimeError(f"{record['reason']}: {record['message']}")
    told = {key: record[key] for key in ("reason", "message", "hint", "value", "error", "denials") if key in record}
    told["stdout"], told["stderr"] = printed(record["stdout"]), printed(record["stderr"])
    return json.dumps(told)
