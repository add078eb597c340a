import { FencedError } from '@fenced/core'

/** The longest value of an attribute, in characters. */
const maxLength = 64

/** Replacement of a value that is too long, or has characters that names do not have. */
const other = 'other'

/** A name that the application chose, such as that of an executor. */
export function nameOf(text: string): string {
  return text.length <= maxLength ? text : other
}

/** The file name of a program. A model may have chosen it, and its folders may name a user. */
export function programOf(path: string): string {
  const name =
    path
      .slice(-maxLength - 1)
      .split(/[\\/]/)
      .at(-1) ?? ''
  return name.length <= maxLength && /^[\w.+-]+$/.test(name) ? name : other
}

/** What kind of error it is. Its message may quote what a program wrote, so it is left out, and so is the stack that begins with it. */
export function kindOf(error: unknown): string {
  const { name } = Object(error) as { readonly name?: unknown }
  const kind = FencedError.isInstance(error) ? error.code : name
  return typeof kind === 'string' && kind.length <= maxLength && /^[A-Za-z]\w*$/.test(kind) ? kind : 'Error'
}
