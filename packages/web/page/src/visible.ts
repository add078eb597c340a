/**
 * Characters that change how others are read, or are not seen at all: directions of writing (Trojan Source), controls, and
 * spaces of no width. What a person decides about, and what a program prints, shows them.
 */
const hidden = /(?![\t\n\r])[\p{Cc}\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/** The text with its hidden characters named: `[U+202E]`. */
export function visible(text: string): string {
  return text.replaceAll(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}
