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


def no_json(constant):
    """Refuse what Python reads besides JSON: NaN and Infinity."""
    raise ValueError(f"{constant} is none")


@tool
def run_code(source: str, input: str = "null") -> str:
    """Run Python in a box. source is the body of a function: `return` gives the
    value; input, a JSON text, is what it finds as `input`."""
    try:
        request = json.dumps({"source": source, "input": json.loads(input, parse_constant=no_json)})
    except (ValueError, RecursionError) as error:  # the latter for a very deep one
        return f"input must be JSON: {error}"
    record = jail(BOX, request.encode())
    answer = answer_to(record)
    # What the model has sent is refused for a NUL in the source, or an input too deep.
    refused = record.get("refusal", {}).get("operation") in ("source", "input", "request")
    if answer == "host" and not refused or answer == "broken":  # nothing that the model could mend
        raise RuntimeError(f"{record['reason']}: {record['message']}")
    told = {key: record[key] for key in ("reason", "message", "hint", "value", "error", "denials") if key in record}
    told["stdout"], told["stderr"] = printed(record["stdout"]), printed(record["stderr"])
    return json.dumps(told)
