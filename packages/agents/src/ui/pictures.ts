import type { MimeBundle } from '@fenced/core'

/** The picture in a rich result, with a URL for an `img`. */
export function pictureOf(bundle: MimeBundle): { mediaType: string; url: string } | undefined {
  for (const [mediaType, data] of Object.entries(bundle)) {
    if (!mediaType.startsWith('image/') || typeof data !== 'string') continue
    // Kernels give SVG as text, and all other pictures in base64.
    const base64 = mediaType === 'image/svg+xml' ? Buffer.from(data).toString('base64') : data
    return pictureUrl(mediaType, base64)
  }
  return undefined
}

export function pictureUrl(mediaType: string, base64: string): { mediaType: string; url: string } {
  return { mediaType, url: `data:${mediaType};base64,${base64.replace(/\s/g, '')}` }
}
