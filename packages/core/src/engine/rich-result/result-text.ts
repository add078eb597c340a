import type { MimeBundle } from '../../code-result.ts'
import { textOf } from './kinds.ts'
import type { SavedRepresentation } from './result-files.ts'

/** What a model reads of a rich result: its text, and where each picture and document is. */
export function resultText(bundle: MimeBundle, saved: readonly SavedRepresentation[]): string {
  const lines = saved.map(({ label, path }) => `${label} data saved to ${path}`)
  const text = readableText(bundle, saved.length > 0)
  if (text !== undefined) lines.unshift(text)
  if (lines.length > 0) return lines.join('\n')
  return `A result of the type ${Object.keys(bundle).join(', ')}, which is kept as data.`
}

/** Data of a page or a chart would flood a model: only what is meant to be read is shown. */
function readableText(bundle: MimeBundle, saved: boolean): string | undefined {
  const plain = textOf(bundle['text/plain'])
  if (plain !== undefined && !isPlaceholder(plain)) return plain
  const written = textOf(bundle['text/markdown']) ?? textOf(bundle['text/latex'])
  return written ?? (saved ? undefined : plain)
}

/** `<Figure size 640x480 with 1 Axes>`: it says that there is something to be seen, and not what. */
function isPlaceholder(text: string): boolean {
  return /^<[^\n]*>$/.test(text.trim())
}
