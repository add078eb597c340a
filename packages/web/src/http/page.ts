import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FencedError } from '@fenced/core'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

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

/** The page as it was built, beside the sources of this package as beside what is installed. */
const pageDirectory: string = fileURLToPath(new URL('../page/dist/', packageUrl()))

/** The sources are one folder deeper than what is built of them. */
function packageUrl(): URL {
  const built = new URL('.', import.meta.url)
  return built.pathname.endsWith('/http/') ? new URL('..', built) : built
}

/** A file of the page; `undefined` where there is none of this name. @throws FencedError `PAGE_NOT_BUILT`. */
export async function pageResponse(path: string): Promise<Response | undefined> {
  const name = path === '/' ? 'index.html' : path.slice(1)
  const type = types[extname(name)]
  if (type === undefined || !/^(?:assets\/)?[\w.-]+$/.test(name)) return undefined
  const body = await readFile(`${pageDirectory}${name}`).catch(() => undefined)
  if (body === undefined) {
    if (!existsSync(`${pageDirectory}index.html`)) throw notBuilt()
    return undefined
  }
  return new Response(body, {
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      // The names of assets change with what is in them.
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

function notBuilt(): FencedError {
  return new FencedError({
    code: 'PAGE_NOT_BUILT',
    message: `The page is not in ${pageDirectory}: build it with \`pnpm build\`, or install @fenced/web again.`,
    data: { path: pageDirectory },
  })
}
