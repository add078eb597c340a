import type { ExecutionEvent, MimeBundle } from '@fenced/core'

interface ProgramOutput {
  readonly margin: string
  readonly text: string
  /** Whether it takes separate lines, apart from the streams. */
  readonly isWhole: boolean
}

/** What is shown of an executor's event; `undefined` for most of them. */
export function programOutput(event: ExecutionEvent): ProgramOutput | undefined {
  switch (event.type) {
    case 'stdout':
      return { margin: '> ', text: event.text, isWhole: false }
    case 'stderr':
      return { margin: '! ', text: event.text, isWhole: false }
    case 'result':
      return whole('> ', textOf(event.result))
    case 'notice':
      return whole('- ', event.notice.message)
    default:
      return undefined
  }
}

function whole(margin: string, text: string): ProgramOutput | undefined {
  return text === '' ? undefined : { margin, text, isWhole: true }
}

/** A table's or a value's text; a picture is named in what the agent says. */
function textOf({ 'text/plain': plain, 'text/markdown': markdown }: MimeBundle): string {
  return [plain, markdown].find((text) => typeof text === 'string') ?? ''
}

/** How much of a run is remembered, in UTF-16 code units. What a program writes beyond that is repeated in the reply. */
const maxLength = 2 ** 20

/** Output of a run that was shown live, so that the reply with the result need not repeat it. */
export class EchoFilter {
  /** What the run said in all; known at its end. */
  output = ''
  #streamed = ''
  readonly #lines = new Set<string>()

  addText(text: string): void {
    if (this.#streamed.length + text.length <= maxLength) this.#streamed += text
  }

  /** Text that was shown on separate lines. */
  addLines(text: string): void {
    for (const line of text.split('\n')) this.#lines.add(line)
  }

  /** The reply, in which only those lines of the output are left that have not been shown. */
  removeFrom(reply: string): string {
    if (this.output.trim() === '' || !reply.includes(this.output)) return reply
    const shown = new Set([...this.#lines, ...this.#streamed.split('\n')])
    const unseen = this.output.split('\n').filter((line) => line !== '' && !shown.has(line))
    return reply.replace(this.output, () => ['(shown above)', ...unseen].join('\n'))
  }
}
