import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { Conversations } from './conversation/conversations.ts'
import { EventLog } from './event-log.ts'
import { Access } from './http/access.ts'
import { routes } from './http/routes.ts'
import { type FencedWebOptions, optionsSchema } from './options.ts'

/** The page and its server, ready to mount. */
export interface FencedWeb extends AsyncDisposable {
  /** Handles a request. Works with any server that uses the Fetch API, such as Node with Hono, Bun or Deno. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Token that grants all rights on the page. Append it to the page's address after `#token=`. */
  readonly token: string
  /** Stops all runs and executors, and closes the log. Conversations are kept. */
  close(): Promise<void>
}

/**
 * Creates a page on which a person watches a model and decides which code runs. The `directory` stores conversations, events and
 * files.
 *
 * Requests without the token, and requests from other sites, are refused. The page has no accounts: the token identifies the
 * person. To use your own host name, set `hosts` and serve the page over HTTPS.
 *
 * @throws FencedError `INVALID_OPTIONS`; `DIRECTORY_IN_USE` if another server is using the directory;
 *   `CONVERSATIONS_OF_ANOTHER_VERSION`, `CONVERSATIONS_DAMAGED`.
 */
export function createFencedWeb(options: FencedWebOptions): FencedWeb {
  parseOptions(optionsSchema, options, 'createFencedWeb')
  const { directory, hosts } = options
  const log = openLog(directory)
  const token = options.token ?? keptToken(directory)
  const conversations = new Conversations(log, options)
  const app = routes({ access: new Access({ token, hosts }), conversations, log, options })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= conversations.close().finally(() => log.close())
    return closing
  }
  return { fetch: (request) => app.fetch(request), token, close, [Symbol.asyncDispose]: close }
}

function openLog(directory: string): EventLog {
  try {
    return new EventLog(directory)
  } catch (cause) {
    if (Object(cause).errcode !== sqliteBusy) throw cause
    throw new FencedError({
      code: 'DIRECTORY_IN_USE',
      message: `Another server is using ${directory}. Stop it, or use another directory.`,
      data: { path: directory },
      cause,
    })
  }
}

/** SQLITE_BUSY (https://sqlite.org/rescode.html). */
const sqliteBusy = 5

/** The same for every start: an open page continues when the server was started again. */
function keptToken(directory: string): string {
  const path = join(directory, 'token')
  try {
    const kept = readFileSync(path, 'utf8').trim()
    if (kept.length >= 16) return kept
  } catch {
    // There is none yet.
  }
  const token = randomBytes(24).toString('base64url')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${token}\n`, { mode: 0o600 })
  chmodSync(path, 0o600)
  return token
}
