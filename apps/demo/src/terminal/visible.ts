/**
 * A text whose control characters are seen instead of obeyed: what a program prints, or calls its files, must not
 * move the cursor or rename the window. Tabs and line endings stay.
 */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
  return text.replaceAll(/[\0-\x08\x0B-\x1F\x7F-\x9F]/g, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD'
  })
}
