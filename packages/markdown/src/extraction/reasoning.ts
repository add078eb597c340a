import { markersIn, type ReasoningMarker } from './reasoning-markers.ts'

/** Names of the tags around reasoning, if the caller names no others. */
const defaultTags: readonly string[] = ['think', 'thinking', 'thought']

const openingPlace = /(?: {0,3}>)* {0,3}/y

/** Options for the recognition of reasoning. */
export interface ReasoningOptions {
  readonly reasoningTags?: readonly string[] | undefined
  readonly startsInReasoning?: boolean | undefined
}

/**
 * Follows a model's reasoning through the lines of a text that are not code. An opening marker at the beginning of a line
 * starts reasoning, and the next closing marker of the same form ends it. Markers in inline code and in sentences are text:
 *
 * - an opening marker that continues the sentence of the line above and has words after it;
 * - a closing tag with an opening tag before it in the same paragraph that did not start the reasoning.
 *
 * A closing marker without reasoning changes nothing above it. A text whose opening marker is missing, because the chat
 * template wrote it, is read with `startsInReasoning`.
 */
export class Reasoning {
  readonly #names: ReadonlySet<string>
  #isOpen: boolean
  /** Form of the marker that started the reasoning; `undefined` where the text started in it. */
  #form: ReasoningMarker['form'] | undefined
  /** Opening tags of the paragraph that did not start reasoning, and have no closing tag yet. */
  #mentioned = 0

  constructor({ reasoningTags = defaultTags, startsInReasoning = false }: ReasoningOptions = {}) {
    this.#names = new Set(reasoningTags.map((name) => name.toLowerCase()))
    this.#isOpen = startsInReasoning
  }

  get open(): boolean {
    return this.#isOpen
  }

  /**
   * Reads a line and returns the text after its last marker; `undefined` if no reasoning starts or ends in it.
   *
   * @param above - whether the line continues a paragraph, and a sentence of that paragraph.
   */
  read(
    text: string,
    above: { readonly isParagraph: boolean; readonly isSentence: boolean },
  ): string | undefined {
    if (!above.isParagraph) this.#mentioned = 0
    let behind: number | undefined
    let place = placeToOpen(text)
    for (const marker of markersIn(text, this.#names)) {
      // Enough to know, and linear for a line full of markers and blanks.
      const isLast = text.slice(marker.end, marker.end + 100).trim() === ''
      const continuesSentence = above.isSentence && behind === undefined && !isLast
      const isFirst = marker.start === place
      const isUsed = marker.closes
        ? this.#close(marker, { isFirst, isLast })
        : this.#start(marker, isFirst && !continuesSentence)
      if (!isUsed) continue
      behind = marker.end
      place = placeToOpen(text, behind)
    }
    return behind === undefined ? undefined : text.slice(behind)
  }

  /** Whether the line begins with a marker of this kind. */
  startsWith(kind: 'opening' | 'closing', text: string): boolean {
    const first = markersIn(text, this.#names).next().value
    return first?.closes === (kind === 'closing') && first.start === placeToOpen(text)
  }

  #start({ form }: ReasoningMarker, mayStart: boolean): boolean {
    if (this.#isOpen || !mayStart) {
      if (form === 'tag') this.#mentioned += 1
      return false
    }
    this.#isOpen = true
    this.#form = form
    return true
  }

  #close(
    { form, isEndOfMessage }: ReasoningMarker,
    { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
  ): boolean {
    const isMentioned = form === 'tag' && this.#mentioned > 0
    if (isMentioned) this.#mentioned -= 1
    if (!this.#isOpen) return isFirst && !isMentioned && !isEndOfMessage
    // Reasoning that never ends would hide the answer, so at the end of a line a tag counts.
    if (isMentioned && !isLast) return false
    if (this.#form !== undefined && this.#form !== form) return false
    this.#isOpen = false
    return true
  }
}

/** Returns the first position from `offset` at which an opening marker can begin. */
function placeToOpen(text: string, offset = 0): number {
  openingPlace.lastIndex = offset
  openingPlace.test(text)
  return openingPlace.lastIndex
}
