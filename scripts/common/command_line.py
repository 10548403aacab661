"""Shared by the Python scripts: one help format, one-line errors NAME: error: LOCATION: WHAT; REMEDY (exit code 2)."""

import argparse
import difflib
import json
import os
import pathlib
import sys

EXIT_CODES = {0: "done", 2: "bad input: one line on stderr says where, what, and what to do", 130: "interrupted"}


class InputError(Exception):
    """An error that the user can fix."""

    def __init__(self, place, what, remedy=""):
        super().__init__(f"{place}: {what}" + (f"; {remedy}" if remedy else ""))


class Parser(argparse.ArgumentParser):
    """`examples`: command lines; `exit_codes`: in addition to those every script has."""

    def __init__(self, doc, examples, exit_codes=None):
        codes = dict(sorted({**EXIT_CODES, **(exit_codes or {})}.items()))
        epilog = "\n".join(["examples:", *(f"  {line}" for line in examples), "", "exit codes:",
                            *(f"  {code:>3}  {meaning}" for code, meaning in codes.items())])
        super().__init__(description=doc, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter)

    def parse_args(self, args=None, namespace=None):
        known = [option for action in self._actions for option in action.option_strings]
        for word in sys.argv[1:] if args is None else args:
            name = word.partition("=")[0]
            if name == "--":
                break
            # Checked before argparse, which would report a missing argument instead.
            if name.startswith("--") and not any(option.startswith(name) for option in known):
                close = difflib.get_close_matches(name, known, 1, 0.6)
                self.error(f"{name}: unknown option" + (f", did you mean '{close[0]}'?" if close else ""))
        return super().parse_args(args, namespace)

    def error(self, message):
        print(f"{self.prog}: error: {message}; scripts/{self.prog} --help lists the options", file=sys.stderr)
        sys.exit(2)


def positive(text):
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is less than 1")
    return value


def reason(error):
    """The text of an OSError, without number and path."""
    return error.strerror or str(error)


MOST_BYTES = 1 << 32
CHUNK_BYTES = 1 << 20


def read_text(path, remedy):
    """Reads endless devices and pipes only until they prove not to be text, or too large."""
    path = pathlib.Path(path)
    content = bytearray()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                content += chunk
                if b"\0" in chunk:
                    raise InputError(path, "is not text", remedy)
                if len(content) > MOST_BYTES:
                    raise InputError(path, f"is larger than {MOST_BYTES >> 30} GiB", remedy)
        text = content.decode("utf-8")
    except OSError as error:
        raise InputError(path, f"cannot be read: {reason(error)}", remedy) from None
    except UnicodeDecodeError:
        raise InputError(path, "is not text", remedy) from None
    if not text.strip():
        raise InputError(path, "is empty", remedy)
    return text


def parse_json(text, place, remedy, line=None):
    """`line`: number of `text`, if it is one line of a file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}:{line or error.lineno}:{error.colno}", f"malformed JSON: {error.msg}",
                         remedy) from None
    except RecursionError:
        raise InputError(place, "malformed JSON: nested too deeply", remedy) from None


def read_json(path, remedy):
    return parse_json(read_text(path, remedy), path, remedy)


WRITABLE = "give a file in a folder that exists and can be written"


def check_writable(path, option, remedy=WRITABLE):
    """Checks that `path` can be written later; leaves no file."""
    path = pathlib.Path(path)
    there = path.exists()
    try:
        with path.open("a", encoding="utf-8"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        raise InputError(f"{option} {path}", f"cannot be written: {reason(error)}", remedy) from None


def write_text(path, text, option):
    """Writes atomically, by renaming a temporary sibling. A device or pipe is written in place."""
    path = pathlib.Path(os.path.realpath(path))
    in_place = path.exists() and not path.is_file()
    temporary = path if in_place else path.with_name(f"{path.name}.tmp{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        if not in_place:
            os.replace(temporary, path)
    except OSError as error:
        if not in_place:
            temporary.unlink(missing_ok=True)
        raise InputError(f"{option} {path}", f"cannot be written: {reason(error)}", WRITABLE) from None


def run(body):
    """The script's main(): errors become one line and an exit code."""
    name = pathlib.Path(sys.argv[0]).name
    try:
        try:
            code = body() or 0
            sys.stdout.flush()
        except InputError as error:
            print(f"{name}: error: {error}", file=sys.stderr)
            code = 2
        except KeyboardInterrupt:
            print(f"{name}: error: interrupted", file=sys.stderr)
            code = 130
    except OSError as error:  # from standard output: a full device, a pipe without a reader
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"{name}: error: {error.filename or 'standard output'}: {reason(error)}; check free space and "
                  "permissions", file=sys.stderr)
        code = 2
    sys.exit(code)
