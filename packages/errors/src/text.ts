// Nothing of Node: this file also runs in a browser.

/**
 * Returns a text with control characters and invisible characters shown as escapes, so that people see the same text that a
 * program uses and terminals do not interpret any of it. An escape has the form `[U+202E]`, or `␛` for an ASCII control
 * character. Tabs, line breaks, spaces of any width, and the joiners and selectors inside an emoji are kept. `\r\n` becomes `\n`.
 * Applying the function again changes nothing.
 *
 * @example
 * ```ts
 * import { visible } from '@fenced/errors/text'
 *
 * console.log(visible('allow\u200Bed = True')) // allow[U+200B]ed = True
 * ```
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(hidden, escapeOf)
}

/**
 * Returns a program as a person must see it to decide about it: different programs never look the same. Use it for everything that
 * runs or is written after an answer. {@link visible} is for prose.
 *
 * | in the program | shown |
 * | --- | --- |
 * | control characters, invisible characters | as by `visible`, and `␍` for a carriage return before a line feed, too |
 * | a tab | `␉` and three spaces |
 * | each space at the end of a line | `␠` |
 * | spaces other than U+0020 | `[U+00A0]` |
 * | these symbols themselves, such as `␉` | `[U+2409]` |
 * | `[U+`, as it begins an escape | `[U+005B]U+` |
 *
 * The program can be read back from the result, and `visible` leaves the result unchanged.
 *
 * @example
 * ```ts
 * import { visibleCode } from '@fenced/errors/text'
 *
 * console.log(visibleCode('mode=dry-run\r\n')) // mode=dry-run␍
 * ```
 */
export function visibleCode(code: string): string {
  return code
    .replaceAll(/[\u2400-\u2421]|\[(?=U\+)|(?! )\p{Zs}/gu, codePointOf)
    .replaceAll(hidden, escapeOf)
    .replaceAll(/(?<! ) +$/gm, (spaces) => '\u2420'.repeat(spaces.length))
    .replaceAll('\t', '\u2409   ')
}

/**
 * Returns a name for use within a line. Like {@link visible}, but also escapes tabs, line breaks and every space except U+0020.
 * Use it for labels, paths, hosts and modules, so that names that look alike really are equal.
 */
export function visibleName(name: string): string {
  return name.replaceAll(hidden, escapeOf).replaceAll(/[\t\n]|(?! )\p{Zs}/gu, escapeOf)
}

/**
 * Returns JSON with control characters and invisible characters as `\u` escapes. Parsers read the same value, and terminals do
 * not interpret any of it.
 *
 * @param indent - Spaces per level, or 0 for a single line.
 */
export function visibleJson(value: object, indent = 0): string {
  return JSON.stringify(value, undefined, indent).replaceAll(hidden, jsonEscapes)
}

/**
 * Returns the text, or its beginning and `…` if it is longer than `maxLength`. A visible character of several code points, such as
 * an emoji or a letter with accents, is kept or omitted as a whole.
 *
 * @param maxLength - Maximum length of the beginning, in UTF-16 code units.
 */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, startOfCharacter(text, maxLength))}…`
}

/** Returns a human-readable duration: `42 ms`, `1.3 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  // Each unit is chosen by the rounded number: 999.6 ms are 1.0 s.
  const whole = Math.round(milliseconds)
  if (whole < 1_000) return `${whole} ms`
  const tenths = Math.round(milliseconds / 100)
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Returns a human-readable size: `812 bytes`, `1.2 kB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const tenthsOfKilobytes = Math.round(bytes / 100)
  if (tenthsOfKilobytes < 10_000) return `${(tenthsOfKilobytes / 10).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Resources that a block used. */
interface Usage {
  readonly cpuMs?: number
  readonly peakMemoryBytes?: number
  readonly bytesSent?: number
  readonly bytesReceived?: number
}

/** Returns what a block used, as one line: `0.3 s of processor time, 12.0 MB of memory`. Empty if nothing is known. */
export function formatUsage({ cpuMs, peakMemoryBytes, bytesSent, bytesReceived }: Usage): string {
  return [
    cpuMs !== undefined && `${formatDuration(cpuMs)} of processor time`,
    peakMemoryBytes !== undefined && `${formatBytes(peakMemoryBytes)} of memory`,
    bytesSent !== undefined && `${formatBytes(bytesSent)} sent`,
    bytesReceived !== undefined && `${formatBytes(bytesReceived)} received`,
  ]
    .filter((part) => part !== false)
    .join(', ')
}

/** Returns a new regular expression, with the flags `g` and `u`, that matches the characters that {@link visible} escapes. */
export function hiddenCharacters(): RegExp {
  return new RegExp(hidden)
}

/**
 * Control characters except tab and line feed, and every character that has no width or no ink: formats and directions
 * (CVE-2021-42574), other line breaks, fillers, selectors, tags, halves of surrogate pairs, and a few blank letters and symbols.
 * Joiners and selectors between parts of an emoji are left out.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the subject of this file.
  /[\0-\x08\x0B-\x1F\x7F-\x9F\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}](?<![\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F|[\d#*]\uFE0F(?=\u20E3)|[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?\u200D(?=\p{Extended_Pictographic}))/gu

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : codePointOf(character)
}

function codePointOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
}

function jsonEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Longer than any emoji or letter. Only a letter with a tower of accents is longer, which is divided. */
const longestCharacter = 64

let segmenter: Intl.Segmenter | undefined

function startOfCharacter(text: string, position: number): number {
  segmenter ??= new Intl.Segmenter()
  const character = segmenter.segment(text.slice(0, position + longestCharacter)).containing(position)
  const start = character?.index ?? position
  if (position - start <= longestCharacter) return start
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(position - 1, position + 1))
  return isPair ? position - 1 : position
}
