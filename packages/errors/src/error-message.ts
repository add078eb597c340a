/**
 * Returns the message of a thrown value: those of all its errors for an `AggregateError` without a message. It never throws, for any value: an error of another realm, a text, an
 * object without a prototype.
 */
export function errorMessage(error: unknown): string {
  try {
    if (typeof error !== 'object' || error === null) return String(error ?? unknown) || unknown
    const { message, name } = error as Partial<Error>
    if (isText(message)) return message
    const inner = errorsIn(error).map(errorMessage).join(', ')
    if (inner !== '') return inner
    return isText(name) ? name : JSON.stringify(error)
  } catch {
    return unknown
  }
}

/**
 * The errors that an `AggregateError` of any realm has: a host name with several addresses fails with one error for each of them.
 * Empty for every other value.
 */
export function errorsIn(error: unknown): readonly unknown[] {
  const { errors } = Object(error) as Partial<AggregateError>
  return Array.isArray(errors) ? errors : []
}

/**
 * Returns text of another program or service for the end of a sentence: without its final punctuation, and only the last line of
 * a Python traceback.
 *
 * @example
 * ```ts
 * const message = `The engine failed: ${reasonIn('No space left.\n')}. Free some space.`
 * ```
 */
export function reasonIn(text: string): string {
  const words = text.trim()
  const quoted = words.includes(traceback) ? words.slice(words.lastIndexOf('\n') + 1) : words
  return quoted.replace(/[.!:]+$/, '')
}

const traceback = 'Traceback (most recent call last):'
const unknown = 'an unknown error'

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
