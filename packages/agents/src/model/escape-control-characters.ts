const quote = 0x22
const backslash = 0x5c
const space = 0x20
const shortEscapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

/**
 * Escapes line breaks, tabs and other control characters that stand raw inside the strings of a JSON text: models write
 * programs into arguments that way, and JSON forbids it.
 */
export function escapeControlCharacters(json: string): string {
  let result = ''
  let copied = 0
  let isInString = false
  for (let index = 0; index < json.length; index++) {
    const begin = index
    // Behind a backslash a control character gets no second one.
    if (isInString && json.charCodeAt(index) === backslash) index++
    else if (json.charCodeAt(index) === quote) isInString = !isInString
    if (!isInString || !(json.charCodeAt(index) < space)) continue
    result += `${json.slice(copied, begin)}\\${escapeOf(json.charAt(index))}`
    copied = index + 1
  }
  return result + json.slice(copied)
}

function escapeOf(character: string): string {
  return shortEscapes[character] ?? `u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
