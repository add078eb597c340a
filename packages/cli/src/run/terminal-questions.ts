import type {
  ApprovalAnswer,
  AskByKind,
  CodeApprovalRequest,
  NetworkApprovalAnswer,
  NetworkApprovalRequest,
} from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { visible, visibleName } from '@fenced/errors/text'
import { folded, quotedCode, resetLooks, type TerminalOutput, TurnQueue } from '@fenced/shared'
import { type Reading, TerminalLines } from '../terminal-lines.ts'
import { UserError } from '../user-error.ts'

/** What the person at the terminal decides about. */
export interface TerminalQuestionsOptions {
  /** The option of the command that asks: `--ask`, which is also about code, or `--network ask`. */
  readonly option: '--ask' | '--network ask'
  /** Whether standard input is the text that is run. */
  readonly isStdinTaken: boolean
  /** What programs write to the same terminal. */
  readonly output: TerminalOutput
}

/** Asks the person at the terminal about code and connections, one question at a time. */
export class TerminalQuestions implements Disposable {
  readonly #lines: TerminalLines
  readonly #output: TerminalOutput
  readonly #turns = new TurnQueue()
  readonly #open = new Set<Promise<unknown>>()
  /** For the options of a run. */
  readonly ask: AskByKind

  /** @throws UserError without a terminal. */
  constructor({ option, isStdinTaken, output }: TerminalQuestionsOptions) {
    const lines = TerminalLines.open({ isStdinTaken })
    if (lines instanceof Error) throw noTerminal(option, lines)
    this.#lines = lines
    this.#output = output
    this.ask = {
      ...(option === '--ask' && {
        code: (request, { signal }) => this.#ask(codePrompt(request), { read: readCodeAnswer, signal }),
      }),
      network: (request, { signal }) =>
        this.#ask(networkPrompt(request), { read: readNetworkAnswer, signal }),
    }
  }

  /** Waits until no question is open: the output of programs would appear in its line. */
  async allAnswered(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open)
  }

  #ask<Answer>(prompt: string, reading: Reading<Answer>): Promise<Answer> {
    const asked = this.#inTurn(prompt, reading)
    this.#open.add(asked)
    const end = () => this.#open.delete(asked)
    asked.then(end, end)
    return asked
  }

  async #inTurn<Answer>(prompt: string, reading: Reading<Answer>): Promise<Answer> {
    using _turn = await this.#turns.take(reading.signal)
    // A question begins in the first column, in which a program writes nothing, and without a program's colors.
    if (process.stderr.isTTY) process.stderr.write(`${this.#output.end()}${resetLooks}`)
    return await this.#lines.answer(prompt, reading)
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]()
  }
}

/** The programs have a margin, so that nothing in them can pass for the question. */
function codePrompt({ target, blocks }: CodeApprovalRequest): string {
  const columns = process.stderr.columns || 80
  const programs = blocks.map(({ language, code, fileName, packages = [] }) => {
    const extras = [
      ...(fileName === undefined ? [] : [`kept as ${fileName}`]),
      ...(packages.length === 0 ? [] : [`installs ${packages.join(', ')}`]),
    ]
    const title = visibleName([language, ...extras].join(', '))
    return `${folded(`${title}:\n${quotedCode(code)}`, columns)}\n`
  })
  const choices = '[y] yes, [a] all in this run, [n] no, or n and a reason: '
  const where = visible(`${target.description} (${target.executor})`)
  return `fenced: The next program would run ${where}.\n${programs.join('')}fenced: Run it? ${choices}`
}

function readCodeAnswer(line: string): ApprovalAnswer | undefined {
  if (/^y(?:es)?$/i.test(line)) return { by: 'person', decision: 'allow' }
  if (/^a(?:ll)?$/i.test(line)) return { by: 'person', decision: 'allow', remember: 'conversation' }
  const [isDenial, reason = ''] = /^no?(?:[\s,.:;]+(.*))?$/i.exec(line) ?? []
  if (isDenial === undefined) return undefined
  const said = reason === '' ? 'The person did not want it to run.' : reason
  return { by: 'person', decision: 'deny', reason: said }
}

function networkPrompt({ question }: NetworkApprovalRequest): string {
  return `fenced: ${visible(question)} [y] once, [a] in this run, [n] no: `
}

/** Denials last until the end of the run: a client that tries again does not repeat the question. */
function readNetworkAnswer(line: string): NetworkApprovalAnswer | undefined {
  if (/^y(?:es)?$/i.test(line)) return { decision: 'allow' }
  if (/^a(?:ll)?$/i.test(line)) return { decision: 'allow', remember: 'run' }
  return /^no?$/i.test(line) ? { decision: 'deny', reason: 'a person denied it', remember: 'run' } : undefined
}

function noTerminal(option: TerminalQuestionsOptions['option'], cause: Error): UserError {
  const advice = option === '--ask' ? 'Start the command in a terminal.' : 'Name the hosts instead.'
  return new UserError(`${option} needs a terminal, and there is none: ${errorMessage(cause)}. ${advice}`)
}
