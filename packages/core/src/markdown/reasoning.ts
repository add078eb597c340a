/** The tags between which models think aloud. */
const reasoningTags: readonly string[] = ['think', 'thinking', 'thought']

const openingPlace = /(?: {0,3}>)* {0,3}/y
const indentedCode = /^(?: {4}| {0,3}\t)/

/**
 * Follows a model's reasoning through the lines of a text that are not code: `<think>` at the beginning of a line opens
 * it, the next `</think>` closes it, and a second opening tag inside changes nothing. Tags in inline code are mentioned,
 * not used.
 *
 * A closing tag without an opening one closes reasoning too, which began with the text: chat templates write the opening
 * tag themselves, so it is not in the answer. Such a tag has to be at an end of its line, or directly behind a word;
 * `the </think> tag` in a sentence is a mention.
 */
export class Reasoning {
  readonly #names: ReadonlySet<string>
  #open = false
  #endLine = 0

  constructor(names: readonly string[] = reasoningTags) {
    this.#names = new Set(names.map((name) => name.toLowerCase()))
  }

  get open(): boolean {
    return this.#open
  }

  /** The number of the line with the last closing tag that had no opening one; 0 without one. */
  get endLine(): number {
    return this.#endLine
  }

  /** Reads line `number` and returns what stands behind its last tag; `undefined` where reasoning goes on, or none begins. */
  read(text: string, number: number): string | undefined {
    if (!text.includes('<')) return undefined
    let behind: number | undefined
    let place = placeToOpen(text)
    for (const tag of this.#tagsIn(text)) {
      if (tag.closes ? !this.#open && !isUsed(text, tag, place) : this.#open || tag.start !== place) continue
      if (tag.closes && !this.#open) this.#endLine = number
      this.#open = !tag.closes
      behind = tag.end
      place = placeToOpen(text, behind)
    }
    return behind === undefined ? undefined : text.slice(behind)
  }

  /** Whether the line begins with a tag of this kind. */
  startsWith(kind: 'opening' | 'closing', text: string): boolean {
    if (!text.includes('<')) return false
    const [first] = this.#tagsIn(text)
    return first?.closes === (kind === 'closing') && first.start === placeToOpen(text)
  }

  *#tagsIn(text: string): Generator<Tag> {
    const lastBacktick = text.lastIndexOf('`')
    const backticks = /`+/g
    let runs = 0
    let nextRun = backticks.exec(text)
    for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(
      /<(\/?)([a-z][\w-]*)(?:\s[^<>]*)?>/gi,
    )) {
      if (!this.#names.has(name.toLowerCase()) || tag.endsWith('/>')) continue
      for (; nextRun !== null && nextRun.index < index; nextRun = backticks.exec(text)) runs += 1
      const isInlineCode = runs % 2 === 1 && lastBacktick > index
      if (!isInlineCode) yield { closes: slash === '/', start: index, end: index + tag.length }
    }
  }
}

interface Tag {
  readonly closes: boolean
  readonly start: number
  readonly end: number
}

/** Where a tag must begin to be the first of what stands behind `offset`. */
function placeToOpen(text: string, offset = 0): number {
  openingPlace.lastIndex = offset
  openingPlace.test(text)
  return openingPlace.lastIndex
}

/** Whether a closing tag without an opening one is more than mentioned. */
function isUsed(text: string, { start, end }: Tag, place: number): boolean {
  if (indentedCode.test(text)) return false
  if (start === place || !/[^ \t]/.test(text.slice(end, end + 100))) return true
  return !/[\s"'([{`]/.test(text.charAt(start - 1))
}
