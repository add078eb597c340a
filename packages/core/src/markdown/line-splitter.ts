/**
 * Cuts text that arrives in chunks into lines, without their endings (`\n`, `\r\n` or a lone `\r`; CommonMark
 * 2.1). Where the chunks were cut makes no difference, not even between `\r` and `\n`. A byte order mark is
 * dropped, and U+0000 replaced (CommonMark 2.3).
 */
export class LineSplitter {
  #unfinished = ''
  #started = false
  #afterCarriageReturn = false

  /** The lines whose ending has arrived with this chunk. */
  push(chunk: string): string[] {
    if (chunk === '') return []
    const text = chunk.replaceAll('\0', '\uFFFD')
    const lines: string[] = []
    let start = !this.#started && text.startsWith('\uFEFF') ? 1 : 0
    this.#started = true
    for (let end = start; end < text.length; end += 1) {
      const character = text[end]
      // A `\r` ends its line at once; the `\n` of a `\r\n`, which may come with the next chunk, ends nothing more.
      if (character === '\n' && this.#afterCarriageReturn) start = end + 1
      else if (character === '\n' || character === '\r') {
        lines.push(this.#unfinished + text.slice(start, end))
        this.#unfinished = ''
        start = end + 1
      }
      this.#afterCarriageReturn = character === '\r'
    }
    this.#unfinished += text.slice(start)
    return lines
  }

  /** The last line, when it has no ending. */
  end(): string[] {
    return this.#unfinished === '' ? [] : [this.#unfinished]
  }
}
