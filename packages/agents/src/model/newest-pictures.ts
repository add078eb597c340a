import type { FilePart, ToolResultPart } from 'ai'
import type { ChatMessage, Picture } from '../message/chat-message.ts'

/** Anthropic takes smaller pictures only where there are more, and 32 MB in all; others take more of both. */
const maxCount = 20
const maxBytes = 15_000_000

/** The pictures that fit into one request, the newest first: a long conversation would send all of them with each. */
export function newestPictures(messages: readonly ChatMessage[]): ReadonlySet<Picture> {
  const all = messages.flatMap(({ pictures = [], toolResponses = [] }) => [
    ...pictures,
    ...toolResponses.flatMap((response) => response.pictures ?? []),
  ])
  const newest = new Set<Picture>()
  let left = maxBytes
  for (const picture of all.toReversed()) {
    left -= Buffer.byteLength(picture.data, 'base64')
    if (left < 0 || newest.size === maxCount) break
    newest.add(picture)
  }
  return newest
}

/** A picture in a message of the user. */
export function picturePart({ mediaType, data }: Picture): FilePart {
  return { type: 'file', mediaType, data }
}

/** A text with pictures, as the output of a tool. */
export function pictureOutput(text: string, pictures: readonly Picture[]): ToolResultPart['output'] {
  const files = pictures.map(({ mediaType, data }) => ({
    type: 'file' as const,
    mediaType,
    data: { type: 'data' as const, data },
  }))
  return { type: 'content', value: [{ type: 'text', text }, ...files] }
}
