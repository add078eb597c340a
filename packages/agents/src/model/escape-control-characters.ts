const shortEscapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

/**
 * Escapes line breaks, tabs and other control characters that stand raw inside the strings of a JSON text: models write
 * programs into arguments that way, and JSON forbids it.
 */
export function escapeControlCharacters(json: string): string {
  let result = ''
  let isInString = false
  let isEscaped = false
  for (const character of json) {
    const isControl = isInString && character < ' '
    if (isControl) result += `${isEscaped ? '' : '\\'}${escapeOf(character)}`
    else result += character
    if (character === '"' && !isEscaped) isInString = !isInString
    isEscaped = isInString && character === '\\' && !isEscaped
  }
  return result
}

function escapeOf(character: string): string {
  return shortEscapes[character] ?? `u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
