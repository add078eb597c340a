import { FencedError } from '@fenced/errors'
import type { ScriptProcess } from './archive-stream.ts'
import { type Archives, ProcessArchives } from './process-archives.ts'
import type { SandboxBackend } from './sandbox-backend.ts'

/**
 * Returns a backend's archive methods: its own `put` and `get`, or replacements that run `tar` in the sandbox.
 *
 * The methods reject with `SANDBOX_GONE` if the sandbox has ended, `ENGINE_LOST` if the connection was lost, and
 * `CONTAINER_UNUSABLE` if `tar` failed.
 */
export function archivesOf(backend: SandboxBackend): Archives {
  const through = new ProcessArchives({
    start: ([script, ...words], { signal, input }) =>
      startScript(backend, ['/bin/sh', '-c', lasting(backend, script), 'sh', ...words], { signal, input }),
    failed: (doing, words, cause) => failed(backend, doing, words, cause),
  })
  return {
    put: (...given) => (backend.put === undefined ? through.put(...given) : backend.put(...given)),
    get: (...given) => (backend.get === undefined ? through.get(...given) : backend.get(...given)),
  }
}

/** A script whose shell ends with its stdin, where its end would cut off what is unread. */
function lasting({ losesUnreadOutput = false }: SandboxBackend, script: string): string {
  return losesUnreadOutput ? `(${script}\n)\nwhile read -r line; do :; done` : script
}

async function startScript(
  backend: SandboxBackend,
  command: readonly [string, ...string[]],
  { signal, input }: { readonly signal: AbortSignal; readonly input: Buffer | undefined },
): Promise<ScriptProcess> {
  const process = await backend.exec(command, { cwd: '/', env: {}, stdin: true, signal })
  const { stdin } = process
  if (stdin === undefined) throw new TypeError('`exec` returned a process without stdin.')
  // The end of the output reports the end of the process.
  stdin.on('error', () => {})
  if (input !== undefined) stdin.write(input)
  return { stdin, read: (sink) => process.read(sink), destroy: () => process.destroy() }
}

async function failed(
  backend: SandboxBackend,
  doing: string,
  words: string | undefined,
  cause: unknown,
): Promise<FencedError> {
  const where = backend.where ?? 'the sandbox'
  const data = { backend: where, ...(words === undefined ? {} : { reason: words }) }
  if ((await backend.state()) === 'ended')
    return new FencedError({
      code: 'SANDBOX_GONE',
      message: `The sandbox ended while ${doing}. Start again to get a new one.`,
      data,
      cause,
    })
  return words === undefined
    ? new FencedError({
        code: 'ENGINE_LOST',
        message: `The connection to ${where} was cut while ${doing}. Check whether it is running, then try again.`,
        data,
        cause,
      })
    : new FencedError({
        code: 'CONTAINER_UNUSABLE',
        message: `The sandbox failed while ${doing}: ${words}. Check that it has \`tar\` and \`dd\`, and that its user can read and write there.`,
        data,
        cause,
      })
}
