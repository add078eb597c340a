import { filePath } from './api.ts'

/** Reads the beginning of a text file of a conversation, and no more of it than `maxLength` characters. */
export async function firstText(
  { id, name }: { readonly id: string; readonly name: string },
  maxLength: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const response = await fetch(`${filePath(id, name)}?shown`)
  if (!response.ok || response.body === null) throw new Error(`The server answered with ${response.status}.`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (text.length <= maxLength) {
    const { done, value } = await reader.read()
    if (done) return { text, isCut: false }
    text += value
  }
  await reader.cancel()
  return { text: text.slice(0, maxLength), isCut: true }
}
