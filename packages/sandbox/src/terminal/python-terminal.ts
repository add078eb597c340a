import { OutputStreams, OutputWatchers } from '@fenced/core/sandbox'
import { terminalProgram } from '../embedded.ts'
import { HeldOutput } from './held-output.ts'
import { TerminalInput } from './terminal-input.ts'
import { endNotStarted, TerminalLines } from './terminal-lines.ts'
import { TerminalProcess } from './terminal-process.ts'
import { innerOptions, type StartedTerminal, type TerminalRequest } from './terminal-request.ts'

/**
 * Runs a command in a terminal of `terminal.py`, which reads frames: a letter, the length, and the content. Letters are `i` for input,
 * `r` for a new size, and `s` for the name of a signal. The end of the frames hangs up.
 */
export async function startPythonTerminal(
  python: string,
  request: TerminalRequest,
): Promise<StartedTerminal> {
  const { command, options, spawn } = request
  const { columns, rows } = options.terminal
  const lines = new TerminalLines()
  const streams = new OutputStreams()
  const watchers = new OutputWatchers()
  const held = new HeldOutput(watchers.tap(options.output ?? streams.write))
  const words = ['-I', '-S', '-c', terminalProgram, `${columns}`, `${rows}`, ...command]
  const inner = await spawn([python, ...words], {
    ...innerOptions(request),
    output: (stream, chunk) => (stream === 'stdout' ? held.take(stream, chunk) : lines.push(chunk)),
  })
  const send = (kind: string, content: Uint8Array) => void inner.stdin?.write(framed(kind, content))
  const stdin = new TerminalInput(
    (input) => send('i', input),
    () => inner.stdin?.end(),
  )
  lines.onTaken = (count) => stdin.taken(count)
  const start = await lines.start(inner)
  if ('unusable' in start) return start
  return new TerminalProcess({
    ...{ inner, stdin, streams, watchers, options, held },
    notStarted: 'notStarted' in start ? endNotStarted(command[0], start.notStarted) : undefined,
    signal: async (name) => send('s', Buffer.from(name)),
    resize: async (size) => send('r', sizeBytes(size.columns, size.rows)),
  })
}

function framed(kind: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(5)
  header.write(kind, 'latin1')
  header.writeUInt32BE(content.length, 1)
  return Buffer.concat([header, content])
}

function sizeBytes(columns: number, rows: number): Buffer {
  const content = Buffer.alloc(4)
  content.writeUInt16BE(columns)
  content.writeUInt16BE(rows, 2)
  return content
}
