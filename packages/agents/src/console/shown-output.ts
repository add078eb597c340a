/** How much of a run is remembered, in UTF-16 code units. What a program writes beyond that is repeated in the reply. */
const maxLength = 2 ** 20

/** What has been shown of a run while it went on, so that the reply that tells of it need not repeat it. */
export class ShownOutput {
  /** What the run told in all; known at its end. */
  output = ''
  #streamed = ''
  readonly #lines = new Set<string>()

  /** A piece of what the program wrote. */
  addText(text: string): void {
    if (this.#streamed.length + text.length <= maxLength) this.#streamed += text
  }

  /** Something that was shown on lines of its own. */
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
