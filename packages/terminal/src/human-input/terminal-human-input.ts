import type { HumanInput, HumanInputRequest } from '@fenced/agents'
import { messagesAbove, noTerminal, whatEnterDoes } from '@fenced/agents/internal'
import { untilAborted } from '@fenced/core/internal'
import { wrapped } from '../show-run/prose-writer.ts'
import { TerminalQuestion } from './terminal-question.ts'

/** Which terminal a person sits at. */
export interface TerminalHumanInputOptions {
  /** Where answers are typed. Default `process.stdin`. */
  readonly input?: NodeJS.ReadStream
  /** Where questions are shown. Default `process.stdout`. */
  readonly output?: NodeJS.WriteStream
  /**
   * The words of the questions: AutoGen's, or `plain` ones, which say in one sentence what Enter does ("Enter runs it on this
   * machine, not isolated") and fit the terminal. Default `autogen`.
   */
  readonly words?: 'autogen' | 'plain'
}

/** The last question of each terminal: it has one person, however many agents ask. */
const lastQuestions = new WeakMap<NodeJS.ReadStream, Promise<void>>()

/**
 * Asks the person in front of the terminal.
 *
 * - Pasted text of several lines is one answer. Where the terminal marks what is pasted, Enter sends it; elsewhere lines
 *   that arrive together do.
 * - Ctrl-C, Ctrl-D and a terminal that goes away answer `exit`.
 * - What was typed before a question is shown is dropped: it cannot have been meant for it.
 * - Questions asked at the same time are shown one after the other.
 * - Line breaks at the end of an answer are no part of it.
 * - The messages that the person replies to are shown above the question, with a margin, unless `showRun` or `consoleView` has shown
 *   them on the same output.
 *
 * Between two questions the terminal is as it was, so that Ctrl-C is the signal that it always is.
 */
export class TerminalHumanInput implements HumanInput {
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #words: 'autogen' | 'plain'

  constructor({
    input = process.stdin,
    output = process.stdout,
    words = 'autogen',
  }: TerminalHumanInputOptions = {}) {
    this.#input = input
    this.#output = output
    this.#words = words
  }

  /**
   * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` at once when the input is no terminal; the signal's reason when it is
   * aborted.
   */
  async ask(request: HumanInputRequest, { signal }: { readonly signal: AbortSignal }): Promise<string> {
    signal.throwIfAborted()
    if (this.#input.isTTY !== true) throw noTerminal(request.agent)
    const before = lastQuestions.get(this.#input) ?? Promise.resolve()
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    lastQuestions.set(
      this.#input,
      Promise.all([before, done]).then(() => {}),
    )
    try {
      await untilAborted(before, signal)
      if (this.#input.destroyed || this.#input.readableEnded) return 'exit'
      const question =
        this.#words === 'plain' ? plainQuestion(request, this.#output.columns || 80) : request.prompt
      const prompt = `${messagesAbove(request, this.#output)}${question}`
      return await new TerminalQuestion({ input: this.#input, output: this.#output, prompt }).answer(signal)
    } finally {
      end()
    }
  }
}

/** A question that says what Enter does, in lines of the width; the request's own where that is not known. */
export function plainQuestion({ prompt, partner, onEmpty }: HumanInputRequest, width: number): string {
  const question =
    onEmpty === undefined ? prompt : `Enter ${lowerFirst(whatEnterDoes(onEmpty))}.\n${whatElse(partner)}`
  // The answer follows the last line, and needs room.
  const lines = question.trimEnd().split('\n')
  const last = lines.pop() ?? ''
  // Programs and files of a question are not wrapped.
  const above = onEmpty === undefined ? lines : lines.map((line) => wrapped(line, width - 1))
  return `${[...above, wrapped(last, width - 1)].join('\n')} `
}

function whatElse(partner: string | undefined): string {
  return `A text answers${partner === undefined ? '' : ` ${partner}`}, exit ends:`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
