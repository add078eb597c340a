/** Characters that look like nothing, such as U+200B, U+200E, U+00AD and U+FEFF. */
const ignorable = String.raw`\p{Default_Ignorable_Code_Point}`
/** They and every blank: a no-break space, U+3000. */
const unseen = String.raw`[\p{White_Space}${ignorable}]`

const anyIgnorable = new RegExp(ignorable, 'gu')
const anyUnseen = new RegExp(String.raw`(?![ \t])${unseen}`, 'u')
const otherBlanks = /(?![ \t])\p{White_Space}/gu
const leading = new RegExp(`^${unseen}+`, 'u')
// Looks at each run once, from its beginning, so that the time stays linear.
const trailing = new RegExp(`(?<!${unseen})${unseen}+$`, 'u')

/** Whether a text contains blanks and invisible characters that are not blanks in Markdown. */
export function hasUnseen(text: string): boolean {
  return anyUnseen.test(text)
}

/** The text without its invisible characters. */
export function withoutIgnorable(text: string): string {
  return text.replace(anyIgnorable, '')
}

/** The text without its invisible characters, and with a space for every other blank. */
export function asMarkdownBlanks(text: string): string {
  return withoutIgnorable(text.replace(otherBlanks, ' '))
}

/** The text without the blanks and invisible characters at its beginning. */
export function trimUnseenStart(text: string): string {
  return text.replace(leading, '')
}

/** The text without the blanks and invisible characters at its end. */
export function trimUnseenEnd(text: string): string {
  return text.replace(trailing, '')
}

/** The text without the blanks and invisible characters around it. */
export function trimUnseen(text: string): string {
  return trimUnseenEnd(trimUnseenStart(text))
}
