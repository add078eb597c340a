/**
 * A text whose control characters are seen instead of obeyed: what a model or a program says must not move the cursor,
 * rename the window, or show a person other code than what is run. Tabs and line breaks stay.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(notShown, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD'
  })
}

/** C0 but tab and line feed, delete, C1, and what turns the direction of writing around (CVE-2021-42574). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
const notShown = /[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/g
