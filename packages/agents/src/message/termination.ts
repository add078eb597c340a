/** Nothing but the word, as models write it: alone, in bold, with a dot. */
const termination = /^[\s*_`]*TERMINATE[\s*_`.!]*$/

/**
 * Whether a message ends the conversation: its last line is TERMINATE and nothing else. AutoGen compares the whole text,
 * which a dot, a line break or a farewell before it defeats.
 */
export function endsWithTermination(text: string): boolean {
  return termination.test(lastLine(text))
}

/** A text without the line that ends the conversation; the word within a sentence stays. */
export function withoutTermination(content: string): string {
  const text = content.trimEnd()
  const last = lastLine(text)
  return termination.test(last) ? text.slice(0, text.length - last.length).trimEnd() : content
}

function lastLine(content: string): string {
  const text = content.trimEnd()
  return text.slice(text.lastIndexOf('\n') + 1)
}
