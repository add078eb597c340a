/** One character that is written as an escape. */
interface Escape {
  /** Of the character, in lower case. */
  readonly code: number
  /** Of the escape. */
  readonly length: number
}

/** An escape in bytes. */
export interface PlacedEscape extends Escape {
  readonly at: number
  /** What it begins with. */
  readonly sign: string
}

/** The names of HTML for the characters of ASCII that libraries escape. */
const characterOf: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/', bsol: '\\', plus: '+', equals: '=' },
  ...{ num: '#', dollar: '$', percnt: '%', lpar: '(', rpar: ')', ast: '*', comma: ',', period: '.' },
  ...{ colon: ':', semi: ';', quest: '?', excl: '!', commat: '@', lsqb: '[', lbrack: '[', rsqb: ']' },
  ...{ rbrack: ']', hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', rcub: '}', rbrace: '}' },
  ...{ verbar: '|', vert: '|' },
}
const names = Object.keys(characterOf).join('|')

/** JSON and JavaScript: `\u002f`, `\u{2f}`, `\x2f`, `\/`. HTML: `&#x2f;`, `&#47;`, `&sol;`, `&amp`. A URL: `%2f`. */
const whole = new RegExp(
  [
    String.raw`\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,8})\}|x([0-9a-f]{2})|([!-/:-@[-${'`'}{-~]))`,
    String.raw`%([0-9a-f]{2})|&#x([0-9a-f]{1,8});?|&#(\d{1,8});?|&(${names});|&(amp|lt|gt|quot)`,
  ].join('|'),
  'y',
)
/** The beginning of one of these, also of a longer one. */
const open =
  /^(?:\\(?:u(?:[0-9a-f]{0,3}|\{[0-9a-f]{0,8})|x[0-9a-f]?)?|%[0-9a-f]?|&(?:#(?:\d{0,8}|x[0-9a-f]{0,8})|[a-z]{0,6})?)$/
/** How many bytes an escape of a character of ASCII may have. */
export const longestEscape = '&#x00000000;'.length

/** What an escape begins with. */
export const escapeSigns = '\\%&'
const anySign = /[\\%&]/g

/**
 * Finds the places where an escape of a character can be read, including inside a longer escape.
 *
 * @param isEnd - whether no more bytes come.
 * @returns the escapes, and the place of the first escape that more bytes could complete, or the end.
 */
export function escapesIn(
  bytes: Buffer,
  from: number,
  isEnd: boolean,
): { escapes: PlacedEscape[]; end: number } {
  const text = bytes.toString('latin1', from).toLowerCase()
  const escapes: PlacedEscape[] = []
  for (const { index, 0: sign } of text.matchAll(anySign)) {
    const read = readEscape(text, index, isEnd)
    if (read === 'incomplete') return { escapes, end: from + index }
    if (read !== undefined) escapes.push({ ...read, at: from + index, sign })
  }
  return { escapes, end: bytes.length }
}

/**
 * Reads an escape of a character of ASCII.
 *
 * @param text - in lower case.
 * @returns `incomplete` where more text could continue the escape; `undefined` where the text is not an escape.
 */
function readEscape(text: string, at: number, isEnd: boolean): Escape | 'incomplete' | undefined {
  if (!isEnd && at + longestEscape > text.length && open.test(text.slice(at))) return 'incomplete'
  whole.lastIndex = at
  const found = whole.exec(text)
  if (found === null) return undefined
  const [{ length }, u, braced, x, sign, url, hexadecimal, decimal, name, short] = found
  const digits = u ?? braced ?? x ?? url ?? hexadecimal
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16)
  const character = sign ?? characterOf[name ?? short ?? ''] ?? String.fromCharCode(code).toLowerCase()
  return { code: character.charCodeAt(0), length }
}
