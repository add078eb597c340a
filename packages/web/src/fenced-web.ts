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

/** A page with its server, to be mounted. */
export interface FencedWeb extends AsyncDisposable {
  /** Answers a request, as any server takes it that speaks the fetch API: Node with Hono, Bun, Deno. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Grants all rights of the page. Append it to the address of the page, after `#token=`. */
  readonly token: string
  /** Stops what runs and all executors, and closes the log. Conversations stay. */
  close(): Promise<void>
}

/**
 * A page on which a person watches a model and decides which code runs. A directory contains conversations, events and files.
 *
 * Requests without the token and requests of other sites are refused. The page has no accounts: the token identifies the person.
 * A custom host name needs `hosts`, and HTTPS.
 *
 * @throws FencedError `INVALID_OPTIONS`; `DIRECTORY_IN_USE` when another server works in the directory;
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
      message: `Another server works in ${directory}: stop it, or give another directory.`,
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
