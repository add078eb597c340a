import type { SetupStep } from './setup-step.ts'

/**
 * Shows in the output of a program what it asked for and was answered, as a terminal does: a model that reads the output knows
 * it then. What is typed for a secret is not shown. While a cell calls tools, `fenced_ask` asks (see `toolBridge`).
 */
const source = `
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
            sys.stdout.write(f"{prompt}{'' if password else line}\\n")

    kernel._input_request = ask_and_echo

install()
`

export const echoInput: SetupStep = { name: 'echo-input', source }
