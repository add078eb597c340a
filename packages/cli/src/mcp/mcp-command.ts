import { once } from 'node:events'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { terminalQuestion } from '../choose/ask-at-terminal.ts'
import { chooseExecutor } from '../choose/choose-executor.ts'
import { version } from '../embedded.ts'
import { executorFactory, executorText } from '../executor.ts'
import { type ExecutorOptions, milliseconds } from '../executor-options.ts'
import { type LedgerOptions, readLedger } from '../ledger-option.ts'
import { note } from '../run/output-printer.ts'
import { untilStopped } from '../stop-signals.ts'
import { UserError } from '../user-error.ts'
import { Approvals } from './approval.ts'
import { ClientSandboxes } from './client-sandboxes.ts'
import { createCodeServer } from './code-server.ts'
import { defaultProgramTimeoutMs } from './running-call.ts'
import { Runs } from './runs.ts'
import { SandboxHandles } from './sandbox-handles.ts'
import { serveHttp } from './serve-http.ts'
import { stdioTransport } from './stdio-transport.ts'

export interface McpOptions extends ExecutorOptions, LedgerOptions {
  readonly http: boolean
  readonly port: number
  readonly maxSandboxes: number
  /** Names that HTTP clients call the server by. */
  readonly allowHost?: readonly string[]
}

/** How many handles of sandboxes are open at a time. Sandboxes beyond `--max-sandboxes` take turns, and keep their files. */
const mostOpen = 100

/** Serves a sandbox over MCP until the client leaves, or a stop signal arrives. @returns the exit code. */
export async function mcp(options: McpOptions): Promise<number> {
  const { http, workDir } = options
  if (http && workDir !== undefined)
    throw new UserError('--work-dir is for one client: with --http, each sandbox has a separate directory.')
  if (!http && options.allowHost !== undefined)
    throw new UserError(
      '--allow-host is for --http: over standard input and output, clients use no host name.',
    )
  const ledger = readLedger(options)
  return untilStopped(async (signal) => {
    // Over stdio a client is at standard input, and no person.
    const askPerson = http ? terminalQuestion({ signal, isStdinTaken: false }) : undefined
    const { choice, reason } = await chooseExecutor(options, { signal, askPerson })
    // Over stdio the sandbox ends with its only client.
    const idleTimeoutMs = http ? 30 * 60_000 : Number.POSITIVE_INFINITY
    const programTimeoutMs = milliseconds(options.timeout) ?? defaultProgramTimeoutMs
    const create = await executorFactory({ ...choice, timeout: programTimeoutMs / 1_000 })
    const sandboxes = new ClientSandboxes(create, {
      where: executorText,
      max: http ? options.maxSandboxes : 1,
      idleTimeoutMs,
      programTimeoutMs,
    })
    const approvals = options.ask ? new Approvals({ ledger, answerableSeconds: options.maxWait }) : undefined
    const handles = http ? new SandboxHandles({ max: mostOpen, idleTimeoutMs }) : undefined
    const parts = {
      sandboxes,
      whyThere: reason,
      version,
      handles,
      approvals,
      runs: new Runs(sandboxes),
    }
    try {
      await serve(() => createCodeServer(parts), { ...options, signal })
    } finally {
      await sandboxes.stop()
    }
    return 0
  })
}

/** A client of an older revision declares its capabilities for a connection, and over HTTP there is none. */
const askedOverHttp =
  'With --http, --ask works for clients of protocol revision 2026-07-28 or later that support elicitation. Programs and files of other clients are refused.'

async function serve(
  factory: () => McpServer,
  { http, port, ask, allowHost, signal }: McpOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const stopped = once(signal, 'abort')
  if (http) {
    const token = process.env.FENCED_MCP_TOKEN
    await using server = await serveHttp(factory, { port, token, allowedHosts: allowHost })
    process.stderr.write(`${JSON.stringify({ url: server.url, token: server.token })}\n`)
    if (ask) await note(askedOverHttp)
    await stopped
    return
  }
  using stdio = stdioTransport()
  const handle = serveStdio(factory, { transport: stdio.transport })
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), stopped])
  await handle.close()
}
