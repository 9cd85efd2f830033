"""What runs the command `numawise` and reads what it writes."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._native import Error
from ._results import Result, Table


class CommandError(Error):
    """The command failed. `exit_status` is its own, `messages` what it wrote on its standard error."""

    def __init__(self, text: str, exit_status: int, messages: str) -> None:
        super().__init__(text)
        self.status = "command"
        self.exit_status = exit_status
        self.messages = messages


def _command() -> str:
    """The command: that of the variable NUMAWISE, of this package, of the PATH."""
    named = os.environ.get("NUMAWISE")
    if named:
        return named
    own = Path(__file__).parent / "bin" / "numawise"
    if own.exists():
        return str(own)
    found = shutil.which("numawise")
    if found:
        return found
    raise CommandError(
        "the command numawise is not there: not in this package, not in the PATH; install it (make install), or name it in the variable NUMAWISE",
        127,
        "",
    )


def _run(words: list[str]) -> str:
    command = [_command(), *words]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise CommandError(f"{command[0]} could not be started: {error}", 126, "") from error
    if ran.returncode != 0:
        said = ran.stderr.strip() or f"exit status {ran.returncode}"
        raise CommandError(f"numawise {words[0]} failed: {said}", ran.returncode, ran.stderr)
    if ran.stderr:
        sys.stderr.write(ran.stderr)
    return ran.stdout


def _json(words: list[str]) -> dict[str, Any]:
    text = _run(words)
    try:
        found = json.loads(text)
    except ValueError as error:
        raise CommandError(f"numawise {words[0]} wrote what is not JSON: {error}", 0, text[:200]) from error
    if not isinstance(found, dict):
        raise CommandError(f"numawise {words[0]} wrote a {type(found).__name__}, expected an object", 0, text[:200])
    return found


def _options(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words.append(f"{option}={one}")
    return words


def check(command: Sequence[str | os.PathLike[str]], *, output: str | os.PathLike[str] | None = None, **options: Any) -> Result:
    """Finds out whether placement matters for a program here: `numawise check`, whose options are the keywords (budget="60s", threads=8).

    `output` keeps the record, which `read` shows again. `result["verdict"]`, `result["headline"]`; the tables "trials", "findings" and others.
    """
    if isinstance(command, (str, bytes)) or not command:
        raise TypeError(f"command is {command!r}; expected a list: the program and its arguments")
    program = [os.fspath(word) for word in command]
    with tempfile.TemporaryDirectory(prefix="numawise-") as folder:
        record = os.fspath(output) if output is not None else os.path.join(folder, "check.nw")
        return Result(_json(["check", "--json", f"--output={record}", *_options(options), "--", *program]))


def where(of: int | str | Sequence[int | str] | None = None, **options: Any) -> Result:
    """Where the threads and the memory of processes are: `numawise where`, of this process if none is named (by number or by name)."""
    named: Sequence[int | str]
    if of is None:
        named = [os.getpid()]
    elif isinstance(of, (int, str)):
        named = [of]
    else:
        named = of
    return Result(_json(["where", "--json", *_options(options), "--", *map(str, named)]))


def read(record: str | os.PathLike[str]) -> Result:
    """What a record holds (`check --output`, `snapshot --output`, `objects --output`, `where --record`, a study): as `numawise report` shows it.

    Of a study or a check the table "trials" has every trial, as `numawise export` writes it.
    """
    path = os.fspath(record)
    found = _json(["report", "--json", "--", path])
    others = {}
    if str(found.get("schema", "")).startswith(("numawise/check/", "numawise/study/")):
        trials = _json(["export", "--json", "--", path])
        others["trials"] = Table("trials", trials.get("trials", []))
    return Result(found, others)


def main() -> None:
    """The command itself, as `pip install` puts it into the PATH."""
    command = _command()
    os.execv(command, [command, *sys.argv[1:]])
