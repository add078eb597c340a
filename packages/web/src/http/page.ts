import { FencedError } from '@fenced/core'
import { getMimeType } from 'hono/utils/mime'

/**
 * Only what this server has sent is run, and nothing is loaded from elsewhere. Styles of the editor are made by its script. Frames
 * have no address: what is in them is in the page.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A file of the page; `undefined` for an unknown name. @throws FencedError `PAGE_NOT_BUILT`. */
export async function pageResponse(path: string): Promise<Response | undefined> {
  // 1 MB of text, which only a server with readers needs.
  const { pageFiles } = await import('../embedded.ts')
  if (!('index.html' in pageFiles)) throw notBuilt()
  const name = path === '/' ? 'index.html' : path.slice(1)
  if (!Object.hasOwn(pageFiles, name)) return undefined
  return new Response(pageFiles[name], {
    headers: {
      // Hono has no type for the licenses, which are Markdown.
      'Content-Type': getMimeType(name) ?? 'text/plain; charset=utf-8',
      'Content-Security-Policy': policy,
      // The names of assets change with what is in them.
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

function notBuilt(): FencedError {
  return new FencedError({
    code: 'PAGE_NOT_BUILT',
    message:
      'This build of @fenced/web does not contain the page. Run `pnpm build`, or install @fenced/web again.',
    data: { package: '@fenced/web' },
  })
}
