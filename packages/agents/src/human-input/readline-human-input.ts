import { createInterface } from 'node:readline'
import { FencedError } from '@fenced/core'
import { visible, visibleName } from '@fenced/errors/text'
import { folded, Quiet, quotedCode, TurnQueue, untilAborted, withMargin } from '@fenced/shared'
import type { HumanInput, HumanInputRequest } from './human-input.ts'

/** In milliseconds. Input that arrives faster was pasted, or typed before the question. */
const quietMs = 100
const turns = new TurnQueue()

/**
 * Asks at the terminal of this process with Node's `readline`: the default of agents. Discards text that was typed before the
 * question. Lines that arrive together are one answer. Ctrl-C, Ctrl-D and the end of the terminal answer `exit`.
 */
export class ReadlineHumanInput implements HumanInput {
  /** @throws FencedError `HUMAN_INPUT_UNAVAILABLE` without a terminal; the signal's reason when it is aborted. */
  async ask(request: HumanInputRequest, { signal }: { readonly signal: AbortSignal }): Promise<string> {
    signal.throwIfAborted()
    const { stdin, stdout } = process
    if (stdin.isTTY !== true) throw noTerminal(request.agent)
    using _turn = await turns.take(signal)
    if (stdin.destroyed || stdin.readableEnded) return 'exit'
    const isOpen = await discardInput(stdin, signal)
    if (!isOpen) return 'exit'
    const lines = visible(`${messagesAbove(request, stdout)}${request.prompt}`).split('\n')
    const prompt = lines.pop() ?? ''
    for (const line of lines) stdout.write(`${folded(line, stdout.columns || Number.POSITIVE_INFINITY)}\n`)
    return await readAnswer(prompt, signal)
  }
}

/** Waits until the terminal is quiet. @returns whether the person wants to continue. */
async function discardInput(input: NodeJS.ReadStream, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  using quiet = new Quiet(quietMs, () => resolve(true))
  quiet.heard()
  const leave = () => resolve(false)
  const discard = (chunk: Buffer | string) => (chunk.includes('\x03') ? leave() : quiet.heard())
  input.on('data', discard).on('error', leave).on('end', leave).resume().setRawMode(true)
  try {
    return await untilAborted(promise, signal)
  } finally {
    input.off('data', discard).off('error', leave).off('end', leave)
    if (!input.destroyed) input.setRawMode(false).pause()
  }
}

async function readAnswer(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin: input, stdout: output } = process
  const { promise, resolve } = Promise.withResolvers<string>()
  const reader = createInterface({ input, output, prompt, terminal: true, historySize: 0 })
  const lines: string[] = []
  const finish = () => {
    if (reader.line === '') resolve(lines.join('\n').replace(/\n+$/, ''))
  }
  using quiet = new Quiet(quietMs, finish)
  const leave = () => resolve('exit')
  reader.on('line', (line) => {
    lines.push(line)
    reader.setPrompt('')
    quiet.heard()
  })
  reader.on('SIGINT', leave).on('close', leave).on('error', leave)
  reader.prompt()
  try {
    return await untilAborted(promise, signal)
  } finally {
    reader.close()
  }
}

/** Outputs on which a view has shown the messages of a question. */
const outputs = new WeakMap<HumanInputRequest, WeakSet<object>>()

/**
 * Tells the person's terminal that a view has shown all earlier messages on an output. A question there does not repeat them. Call
 * it for each event, after showing the event.
 */
export function markShown(
  event: { readonly type: string; readonly request?: unknown },
  output: object,
): void {
  if (event.type !== 'human-input-requested') return
  const request = event.request as HumanInputRequest
  const known = outputs.get(request) ?? new WeakSet()
  outputs.set(request, known.add(output))
}

/**
 * Returns the messages of a question as text for a terminal, or an empty text if a view has shown them on that output. The margin
 * keeps their text from passing for the question.
 */
export function messagesAbove(request: HumanInputRequest, output: object): string {
  if (outputs.get(request)?.has(output) === true) return ''
  // Programs in a message that an empty answer runs are shown as in a question about them.
  const isCode = request.onEmpty?.action === 'run-code'
  const quoted = (text: string) => (isCode ? quotedCode(text) : withMargin(visible(text).trimEnd()))
  return (request.messages ?? [])
    .map(({ source, text }) => `${visibleName(source)}:\n${quoted(text)}\n\n`)
    .join('')
}

/** The error of a question without a terminal. */
export function noTerminal(agent: string): FencedError {
  return new FencedError({
    code: 'HUMAN_INPUT_UNAVAILABLE',
    message: `The agent "${agent}" needs a person, but standard input is not a terminal. Start the process in a terminal, set \`humanInputMode: 'never'\`, or pass a \`humanInput\`.`,
    data: { agent },
  })
}
