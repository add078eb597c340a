"""
Copies the prompts and answers of `input()` to the output of the program, as a terminal does, so that a model that reads the output sees
them. Secret answers are not shown. While a cell calls tools, `fenced_ask` asks (see `tool_bridge.py`).
"""


def install():
    import sys
    from IPython import get_ipython

    kernel = get_ipython().kernel
    ask = kernel._input_request

    def ask_and_echo(prompt, *parent, password=False):
        line = ''
        try:
            line = getattr(kernel, 'fenced_ask', ask)(prompt, *parent, password=password)
            return line
        finally:
            sys.stdout.write(f"{prompt}{'' if password else line}\n")

    kernel._input_request = ask_and_echo
