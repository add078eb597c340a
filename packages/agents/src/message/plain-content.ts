import type { AssistantContent, FilePart, ImagePart, ToolContent, ToolResultPart, UserContent } from 'ai'

type Content = UserContent | AssistantContent | ToolContent
type Part = Exclude<Content, string>[number]
type GivenData = FilePart['data'] | ImagePart['image']

/** Returns content as plain data, as JSON represents it: bytes in base64 and URLs as text, which models read alike. */
export function plainContent<Given extends Content>(content: Given): Given {
  if (typeof content === 'string') return content
  const parts: Part[] = content.map(plainPart)
  return parts.every((part, index) => part === content[index]) ? content : (parts as unknown as Given)
}

function plainPart(part: Part): Part {
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
