import type { FilePart, ModelMessage, TextPart } from 'ai'
import type { Picture } from './tool-parts.ts'

export interface Part {
  readonly type: string
}

/** A text with nothing for its provider. */
export function isPlainText(part: Part | undefined): part is TextPart {
  return part?.type === 'text' && !('providerOptions' in part)
}

export function isTextPart(part: Part): part is TextPart {
  return part.type === 'text'
}

/** Marks a part that code or a tool has made. Its text is data. Models get its picture only if their agent has the option `pictures`. */
const made = { fenced: { madeByCode: true } }

export function madeText(text: string): TextPart {
  return { type: 'text', text, providerOptions: made }
}

export function isMadeText(part: Part): boolean {
  return isTextPart(part) && isMade(part)
}

function isMade(part: Part): boolean {
  return (part as TextPart).providerOptions?.fenced?.madeByCode === true
}

export function hasMadeText({ content }: { readonly content: string | readonly Part[] }): boolean {
  return typeof content !== 'string' && content.some(isMadeText)
}

/** The parts for a model, without marks. A program's text is joined to its neighbors, as it was appended. */
export function withoutMarks<Given extends Part>(parts: readonly Given[]): Given[] {
  const all: readonly Part[] = parts
  const unmarked: Part[] = []
  for (const [index, part] of all.entries()) {
    const last = unmarked.at(-1)
    const isAppended = [part, all[index - 1]].some((one) => one !== undefined && isMadeText(one))
    const plain: Part | TextPart = isMadeText(part) ? { type: 'text', text: (part as TextPart).text } : part
    if (isAppended && isPlainText(plain) && isPlainText(last))
      unmarked.splice(-1, 1, { ...last, text: last.text + plain.text } as TextPart)
    else unmarked.push(plain)
  }
  return unmarked as Given[]
}

/** Returns the content of a message: a program's output, and the pictures that the program made. */
export function contentWith(text: string, pictures: readonly Picture[]): string | (TextPart | FilePart)[] {
  if (pictures.length === 0) return text
  const files = pictures.map(
    ({ mediaType, data }): FilePart => ({ type: 'file', mediaType, data, providerOptions: made }),
  )
  return [{ type: 'text', text }, ...files]
}

export function madePicture(part: Part): Picture | undefined {
  const { type, mediaType, data } = part as FilePart
  return type === 'file' && isMade(part) && typeof data === 'string' ? { mediaType, data } : undefined
}

export function madePictures({ content }: Pick<ModelMessage, 'content'>): Picture[] {
  return typeof content === 'string' ? [] : content.flatMap((part) => madePicture(part) ?? [])
}
