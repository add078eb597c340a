import { type HumanInput, type HumanInputRequest, messagesAbove } from '@fenced/agents'
import { FencedError } from '@fenced/core'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import { TurnQueue } from '@fenced/shared'
import { wrapped } from '../show-run/prose-writer.ts'
import { TerminalQuestion } from './terminal-question.ts'

/** Options of `TerminalHumanInput`. */
export interface TerminalHumanInputOptions {
  /** Stream from which answers are read. Default `process.stdin`. */
  readonly input?: NodeJS.ReadStream
  /** Stream to which questions are printed. Default `process.stdout`. */
  readonly output?: NodeJS.WriteStream
  /**
   * Wording of the questions: AutoGen's (`autogen`), or `plain` questions, which fit the width of the terminal and say in one
   * sentence what Enter does ("Enter runs it on this machine, not isolated"). Default `autogen`.
   */
  readonly words?: 'autogen' | 'plain'
}

const inputOptionNames: OptionNames<TerminalHumanInputOptions> = { input: true, output: true, words: true }

/** The questions at each terminal: it has one person, however many agents ask. */
const turnsAt = new WeakMap<NodeJS.ReadStream, TurnQueue>()

/**
 * Asks the person at the terminal.
 *
 * - Pasted text with several lines is one answer. If the terminal marks pasted text, Enter sends it; otherwise, lines that arrive
 *   together are one answer.
 * - Ctrl-C, Ctrl-D and closing the terminal answer `exit`.
 * - Text typed before a question is shown is discarded, because it cannot be an answer to that question.
 * - Questions that are asked at the same time are shown one after the other.
 * - Line breaks at the end of an answer are removed.
 * - Indented above the question are the messages that the person replies to, unless `showRun` or `consoleView` has already
 *   printed them on the same output.
 *
 * Between questions, the terminal is in its original state, so Ctrl-C works as usual.
 */
export class TerminalHumanInput implements HumanInput {
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #words: 'autogen' | 'plain'

  constructor(options: TerminalHumanInputOptions = {}) {
    const {
      input = process.stdin,
      output = process.stdout,
      words = 'autogen',
    } = knownOptions(options, inputOptionNames, 'TerminalHumanInput')
    this.#input = input
    this.#output = output
    this.#words = words
  }

  /**
   * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` immediately if the input is not a terminal; the signal's reason when it is
   *   aborted.
   */
  async ask(request: HumanInputRequest, { signal }: { readonly signal: AbortSignal }): Promise<string> {
    signal.throwIfAborted()
    if (this.#input.isTTY !== true) throw noTerminal(request.agent)
    const turns = turnsAt.get(this.#input) ?? new TurnQueue()
    turnsAt.set(this.#input, turns)
    using _turn = await turns.take(signal)
    if (this.#input.destroyed || this.#input.readableEnded) return 'exit'
    const question =
      this.#words === 'plain' ? plainQuestion(request, this.#output.columns || 80) : request.prompt
    const prompt = `${messagesAbove(request, this.#output)}${question}`
    return await new TerminalQuestion({ input: this.#input, output: this.#output, prompt }).answer(signal)
  }
}

/** A question that says what Enter does, in lines of the width; the request's own where that is not known. */
export function plainQuestion({ prompt, partner, choices }: HumanInputRequest, width: number): string {
  const answers = partner === undefined ? 'answers' : `answers ${partner}`
  const enter = choices.find(({ answer }) => answer === '')?.label
  const question = enter === undefined ? prompt : `Enter ${lowerFirst(enter)}.\nA text ${answers}, exit ends:`
  // The answer follows the last line, and needs room.
  const lines = question.trimEnd().split('\n')
  const last = lines.pop() ?? ''
  // Programs and files of a question are not wrapped.
  const above = enter === undefined ? lines : lines.map((line) => wrapped(line, width - 1))
  return `${[...above, wrapped(last, width - 1)].join('\n')} `
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function noTerminal(agent: string): FencedError {
  return new FencedError({
    code: 'HUMAN_INPUT_UNAVAILABLE',
    message: `The agent "${agent}" needs a person, but standard input is not a terminal. Start the process in a terminal, set \`humanInputMode: 'never'\`, or pass a \`humanInput\`.`,
    data: { agent },
  })
}
