/**
 * A text whose control characters are seen instead of obeyed, and whose invisible characters are seen: what a model or a
 * program says must not move the cursor, rename the window, or show a person other code than what is run. Tabs and line
 * breaks stay, and so do the joiners and selectors inside of an emoji.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(notShown, (character, offset: number, whole: string) => {
    if (isPartOfEmoji(character, { offset, whole })) return character
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return replaced.test(character) ? '\uFFFD' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

/**
 * C0 but tab and line feed, delete, C1, and all that takes no room on a screen or a blank one: formats and turns of the
 * direction (CVE-2021-42574), other line breaks, fillers, selectors, tags.
 */
const notShown =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
  /[\0-\x08\x0B-\x1F\x7F-\x9F\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Delete, C1 and turns of the direction. */
const replaced = /[\x7F-\x9F\u202A-\u202E\u2066-\u2069]/

const emojiSelector = '\uFE0F'
const joiner = '\u200D'

/** Whether the character makes one emoji of its neighbours, or colours the one before it. */
function isPartOfEmoji(
  character: string,
  { offset, whole }: { readonly offset: number; readonly whole: string },
): boolean {
  if (character !== emojiSelector && character !== joiner) return false
  const isBehindEmoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u.test(
    whole.slice(Math.max(0, offset - 2), offset),
  )
  return (
    isBehindEmoji &&
    (character === emojiSelector || /^\p{Extended_Pictographic}/u.test(whole.slice(offset + 1, offset + 3)))
  )
}
