"""`input()` and `getpass` of a cell: the host asks a person."""


def ask(prompt="", /):
    """Reads a line from a person. The prompt and the answer are printed, as in a terminal."""
    return read_line(str(prompt), False)


def ask_secret(prompt="Password: ", stream=None, *, echo_char=None):
    """Reads a line that is not shown."""
    return read_line(str(prompt), True)


def read_line(prompt, is_secret):
    flush_all()
    line = session.line
    answer = None
    try:
        if session.can_ask and line.is_ours and _thread.get_ident() == line.interrupts.main:
            answer = answer_to(line, {"prompt": prompt, "secret": is_secret})
    finally:
        # As a terminal shows it.
        print(prompt + ("" if answer is None or is_secret else answer), flush=True)
    if answer is None:
        raise EOFError("EOF when reading a line")
    return answer


def answer_to(line, question):
    session.questions += 1
    number = session.questions
    line.send(b"i", as_json({**question, "number": number}))
    while True:
        answered, answer = json.loads(line.wait_for(b"i"))
        # The program may have given up an earlier question, for example in the handler of a signal.
        if answered == number:
            return answer


def replace_input():
    ask.__name__ = ask.__qualname__ = "input"
    builtins.input = ask
    getpass.getpass = ask_secret
