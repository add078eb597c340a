"""IPython's lines that are not Python: `!command`, `%pip`, `%cd` and `%matplotlib inline` where the cell itself is not Python. Others are
refused."""

import re

COMMAND = re.compile(r"^(\s*)!(?!\s*=)(.*)$")
MAGIC = re.compile(r"^(\s*)(%{1,2})(\w+)[ \t]*(.*)$")
# `names = !ls`, `names = %magic`, `name?`.
ASSIGNED = re.compile(r"^\s*[\w, ]+=\s*([!%]\S*)")
HELP = re.compile(r"^\s*(\?{1,2}[\w.*]+|[\w.*\[\]'\"]+\?{1,2})\s*;?\s*$")
OTHERWISE = "Write it in Python, or use an executor with a Jupyter kernel."


class UnknownMagic(SyntaxError):
    """A line of IPython that a session does not have."""


UnknownMagic.__name__ = UnknownMagic.__qualname__ = "SyntaxError"
UnknownMagic.__module__ = "builtins"


def python_of(code, name, flags):
    """The cell as Python: unchanged where it is Python, and otherwise with its commands and magics rewritten."""
    try:
        compile(code, name, "exec", flags | ONLY_AST, True)
        return code
    except (SyntaxError, ValueError):
        pass
    code = without_indent(code)
    lines = code.splitlines(True)
    inside = lines_in_strings(code)
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines and lines[first].startswith("%%"):
        raise refusal(first + 1, lines[first].split()[0], name)
    rewritten = [line if number in inside else python_of_line(number + 1, line, name) for number, line in enumerate(lines)]
    return "".join(rewritten)


def without_indent(code):
    """A cell that is indented as a whole, as if copied from a function, is moved to the left."""
    indent = re.match(r"(?:[ \t]*\n)*([ \t]*)", code)[1]
    return re.sub("(?m)^" + indent, "", code) if indent else code


def python_of_line(number, line, name):
    text, end = line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :]
    command = COMMAND.match(text)
    if command is not None:
        # Two signs give the lines of the output in IPython. As the value of a line they are shown the same.
        return "%s__import__('fenced_session').run_command(%s, globals())%s" % (command[1], source_of(command[2].lstrip("!")), end)
    magic = MAGIC.match(text)
    if magic is not None and magic[2] == "%" and magic[3] in ("pip", "cd"):
        return "%s__import__('fenced_session').%s(%s, globals())%s" % (magic[1], magic[3], source_of(magic[4]), end)
    if magic is not None and (magic[3], magic[4].strip()) == ("matplotlib", "inline"):
        # Figures are shown in any case.
        return magic[1] + "pass" + end
    if magic is not None:
        raise refusal(number, magic[2] + magic[3], name)
    assigned = ASSIGNED.match(text)
    if assigned is not None:
        raise refusal(number, assigned[1], name)
    wanted = HELP.match(text)
    if wanted is not None:
        raise UnknownMagic("Line %d, `%s`: help is not known here. Write `help(...)`." % (number, text.strip()))
    return line


def source_of(text):
    return repr(text.strip())


def refusal(number, what, name):
    if what.startswith("!"):
        message = "Line %d, `%s`: the output of a command cannot be assigned here. Use `subprocess.run(..., capture_output=True)`." % (number, what)
    else:
        message = "Line %d, `%s`: of magics only %%pip, %%cd and %%matplotlib inline are known here. %s" % (number, what, OTHERWISE)
    return UnknownMagic(message)


def lines_in_strings(code):
    """Indices of the lines that begin within a string or a bracket, as far as the cell can be read."""
    import tokenize

    rest = iter(re.sub(r"(?m)^(\s*)[!%].*$", lambda found: found[1] + "pass", code).splitlines(True))
    inside, depth = set(), 0
    try:
        for token in tokenize.generate_tokens(lambda: next(rest, "")):
            if token.type == tokenize.STRING or token.type >= tokenize.OP and token.end[0] > token.start[0]:
                inside.update(range(token.start[0], token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return inside


def expanded(text, names):
    """`{expression}` and `$name` are values of the cell, as in IPython; what is neither stays."""

    def value_of(found):
        try:
            return str(eval(found[1] or found[2], names))
        except Exception:
            return found[0]

    return re.sub(r"(?<!\$)(?<!\{)\{([^{}]+)\}(?!\})|(?<!\$)\$(\w+)", value_of, text).replace("{{", "{").replace("}}", "}").replace("$$", "$")


def run_command(command, names):
    """`!command`: its output is the cell's, and its exit code is in `_exit_code`."""
    import subprocess

    flush_all()
    ended = subprocess.run(expanded(command, names), shell=True, stdin=subprocess.DEVNULL)
    names["_exit_code"] = ended.returncode


def pip(arguments, names):
    """`%pip`: installs into the Python that runs the cell."""
    import shlex
    import subprocess

    flush_all()
    command = [sys.executable, "-m", "pip", *shlex.split(expanded(arguments, names))]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL)
    importlib.invalidate_caches()
    names["_exit_code"] = ended.returncode


def cd(directory, names):
    """`%cd`: changes the directory, and prints it. Without one it is the home directory."""
    target = expanded(directory, names).strip("\"'") or "~"
    os.chdir(os.path.expanduser(target))
    print(os.getcwd())
