import type {
  AssistantContent,
  FilePart,
  ImagePart,
  ModelMessage,
  TextPart,
  ToolContent,
  ToolResultPart,
  UserContent,
} from 'ai'
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

type Content = UserContent | AssistantContent | ToolContent
type ContentPart = Exclude<Content, string>[number]
type GivenData = FilePart['data'] | ImagePart['image']

/** Returns content as plain data, as JSON represents it: bytes in base64 and URLs as text, which models read alike. */
export function plainContent<Given extends Content>(content: Given): Given {
  if (typeof content === 'string') return content
  const parts: ContentPart[] = content.map(plainPart)
  return parts.every((part, index) => part === content[index]) ? content : (parts as unknown as Given)
}

function plainPart(part: ContentPart): ContentPart {
  if (part.type === 'image') return { ...part, image: plainData(part.image) as ImagePart['image'] }
  if (part.type === 'file') return { ...part, data: plainData(part.data) }
  if (part.type === 'reasoning-file') return { ...part, data: plainData(part.data) as typeof part.data }
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  return { ...part, output: { ...part.output, value: part.output.value.map(plainOutputPart) } }
}

function plainData(data: GivenData): GivenData {
  if (data instanceof URL) return data.href
  const bytes = bytesOf(data)
  if (bytes !== undefined) return bytes.toString('base64')
  if (typeof data !== 'object' || !('type' in data)) return data
  if (data.type === 'url') return String(data.url)
  return data.type === 'data' ? { ...data, data: plainData(data.data as GivenData) as string } : data
}

function bytesOf(data: unknown): Buffer | undefined {
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return data instanceof ArrayBuffer ? Buffer.from(data) : undefined
}

type OutputPart = Extract<ToolResultPart['output'], { type: 'content' }>['value'][number]

/** In a result, only the type `file-url` has a URL as text. */
function plainOutputPart(part: OutputPart): OutputPart {
  if (part.type !== 'file') return part
  const { data, mediaType, providerOptions } = part
  if (data.type !== 'url') return { ...part, data: plainData(data) as typeof data }
  const others = providerOptions === undefined ? {} : { providerOptions }
  return { type: 'file-url', url: String(data.url), mediaType, ...others }
}
