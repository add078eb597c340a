/** How a representation becomes a file. */
export interface SavedKind {
  readonly extension: string
  /** What it is called in what the model reads: `Image data saved to …`, as in AutoGen. */
  readonly label: string
  /** Jupyter's messaging protocol carries bytes as base64 and the rest as text or JSON. */
  readonly encoding: 'base64' | 'text' | 'json'
}

/** Which representations are saved, by MIME type. All others are kept as data only. */
const kinds: Readonly<Record<string, SavedKind>> = {
  'image/png': { extension: 'png', label: 'Image', encoding: 'base64' },
  'image/jpeg': { extension: 'jpg', label: 'Image', encoding: 'base64' },
  'image/gif': { extension: 'gif', label: 'Image', encoding: 'base64' },
  'image/webp': { extension: 'webp', label: 'Image', encoding: 'base64' },
  'image/svg+xml': { extension: 'svg', label: 'Image', encoding: 'text' },
  'application/pdf': { extension: 'pdf', label: 'PDF', encoding: 'base64' },
  'text/html': { extension: 'html', label: 'HTML', encoding: 'text' },
  'text/markdown': { extension: 'md', label: 'Markdown', encoding: 'text' },
  'text/latex': { extension: 'tex', label: 'LaTeX', encoding: 'text' },
  'application/json': { extension: 'json', label: 'JSON', encoding: 'json' },
}

export function savedKind(mimeType: string): SavedKind | undefined {
  return Object.hasOwn(kinds, mimeType) ? kinds[mimeType] : undefined
}

/** The bytes of a representation, or `undefined` when they are not what its type promises. */
export function bytesOf({ encoding }: SavedKind, value: unknown): Uint8Array | undefined {
  if (encoding === 'json') return value === undefined ? undefined : Buffer.from(`${JSON.stringify(value)}\n`)
  const text = textOf(value)
  if (text === undefined) return undefined
  return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
}

/** Text, also where a notebook's format splits it into lines. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : undefined
}
