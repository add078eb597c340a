import { OutputStreams, OutputWatchers, type TerminalSize } from '@fenced/core/sandbox'
import { HeldOutput } from './held-output.ts'
import { noTerminal } from './no-terminal.ts'
import { TerminalInput } from './terminal-input.ts'
import { endNotStarted, TerminalLines } from './terminal-lines.ts'
import { TerminalProcess } from './terminal-process.ts'
import { innerOptions, type StartedTerminal, type TerminalRequest } from './terminal-request.ts'

/** Arguments: the path of `script`, and what its shell runs. */
const outerScript = 'exec 3>&2; export SHELL=/bin/sh; exec "$1" -qefc "$2" /dev/null'

function innerScript({ columns, rows }: TerminalSize, command: readonly string[]): string {
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  return `set -- ${words.join(' ')}
program=$(command -v -- "$1") || { echo fenced-terminal: not-started ENOENT >&3; exit 127; }
case $program in */*) [ -x "$program" ] && [ ! -d "$program" ] || { echo fenced-terminal: not-started EACCES >&3; exit 126; } ;; esac
stty cols ${columns} rows ${rows} iutf8
echo "fenced-terminal: started $(tty)" >&3
exec "$@" 3>&-`
}

/** Runs a command in a terminal of the program `script`. Another process changes its size, where that process sees the terminal. */
export async function startScriptTerminal(
  script: string,
  request: TerminalRequest,
): Promise<StartedTerminal> {
  const { command, options, spawn } = request
  const lines = new TerminalLines()
  const streams = new OutputStreams()
  const watchers = new OutputWatchers()
  const held = new HeldOutput(watchers.tap(options.output ?? streams.write))
  const words = ['-c', outerScript, 'fenced', script, innerScript(options.terminal, command)]
  const inner = await spawn(['/bin/sh', ...words], {
    ...innerOptions(request),
    output: (stream, chunk) => (stream === 'stdout' ? held.take(stream, chunk) : lines.push(chunk)),
  })
  const stdin: TerminalInput = new TerminalInput(
    (input) => void inner.stdin?.write(input, () => stdin.taken(input.length)),
    () => void inner.kill(),
  )
  const start = await lines.start(inner)
  if ('unusable' in start) return start
  return new TerminalProcess({
    ...{ inner, stdin, streams, watchers, options, held },
    notStarted: 'notStarted' in start ? endNotStarted(command[0], start.notStarted) : undefined,
    signal: (name) => inner.signal(name),
    async resize({ columns, rows }) {
      const path = 'terminal' in start ? start.terminal : ''
      const stty = await spawn(['stty', '-F', path, 'cols', `${columns}`, 'rows', `${rows}`], {})
      const end = await stty.ended
      if (end.kind !== 'exited' || end.exitCode !== 0)
        throw noTerminal('A terminal that `script` made cannot be resized here')
    },
  })
}
