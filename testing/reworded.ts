import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

/** Where a message passes on its way to a reader, relative to the repository: the text that gives it, and the text that rewords it. */
export const passages: Readonly<Record<string, readonly [given: string, reworded: string]>> = {
  'packages/errors/src/fenced-error.ts': ['bounded(message)', 'bounded(reworded({ code, message }))'],
  // Notices of blocks and of starts, before they reach the events, the result and its output.
  'packages/core/src/engine/output/redactor.ts': [
    'message: redact(message)',
    'message: redact(reworded({ code, message }))',
  ],
  // Notices whose words are behavior, and notices that no executor reports.
  'packages/core/src/approval/asked-run.ts': [
    "events.push({ type: 'notice', notice })",
    "events.push(collected({ type: 'notice', notice }))",
  ],
  'packages/core/src/running/share-replay.ts': [
    'gap(next, this.#oldestId - 1)',
    'collected(gap(next, this.#oldestId - 1))',
  ],
  'packages/core/src/tool/tool-output.ts': [
    'notices: [{ code: status, message }]',
    'notices: [collected({ code: status, message })]',
  ],
  'packages/core/src/engine/output/block-notices.ts': ['? leftOut(code)', '? collected(leftOut(code))'],
  'packages/agents/src/running/run-with-events.ts': ['createEvent(event)', 'createEvent(collected(event))'],
  'packages/agents/src/running/run-program.ts': [
    "onEvent({ type: 'notice', notice })",
    "onEvent(collected({ type: 'notice', notice }))",
  ],
  'packages/host/src/directory-lock.ts': ['(waiting(path))', '(collected(waiting(path)))'],
  'packages/sandbox/src/pool/keyed-sandbox.ts': [
    "sandboxReplaced(reason, this.#hasOldFiles ? 'kept' : 'lost')",
    "collected(sandboxReplaced(reason, this.#hasOldFiles ? 'kept' : 'lost'))",
  ],
  'packages/sandbox-docker/src/image/throttled-notices.ts': [
    'notice({ code: this.#code, message, data })',
    'notice(collected({ code: this.#code, message, data }))',
  ],
  'packages/sandbox-docker/src/image/registry/logins.ts': [
    'return { problem, data }',
    "collected({ code: 'credentials', message: problem + ' Continuing without a login.' }); return { problem, data }",
  ],
  'packages/sandbox-local/src/prepared-directory.ts': [
    'notice(cannotKeep(error))',
    'notice(collected(cannotKeep(error)))',
  ],
}

/** Whether this run needs a copy of each message. */
export const isOn = process.env.FENCED_TEST_REWORDED === '1' || process.env.FENCED_TEST_MESSAGES !== undefined

const repository = join(import.meta.dirname, '..')

/**
 * Returns the source of a module with its messages reworded, or `undefined` for a module that no message passes. It throws for a
 * source that has changed so that nothing in it would be reworded.
 */
export function rewordedSource(path: string, source: string): string | undefined {
  const [given, reworded] = passages[relative(repository, path)] ?? []
  if (given === undefined || reworded === undefined) return undefined
  if (!source.includes(given)) throw new Error(`${path} has no \`${given}\`. Update testing/reworded.ts.`)
  const helper = relative(dirname(path), fileURLToPath(new URL('reworded-message.ts', import.meta.url)))
  return `import { collected, reworded } from '${helper}'; ${source.replaceAll(given, reworded)}`
}

/**
 * With `FENCED_TEST_REWORDED=1`, replaces every message of a `FencedError`, and of a notice that an executor reports, with
 * `[CODE] reworded`: a test that compares words fails, and a test that compares `code` and `data` passes. Denials and edits keep
 * their words, as do the notices of the agents, of the page, and of readers that are too far behind, which other modules write.
 *
 * With `FENCED_TEST_MESSAGES=FILE`, messages keep their words, and each is added to the file with its code: `tests/messages.ts` reads it.
 *
 * The plugin covers what Vite loads, and a module hook covers what Node loads: native test files, and the programs that tests start.
 */
export const reworded = {
  name: 'fenced:reworded',
  // Before types are removed and quotes change.
  enforce: 'pre',
  config() {
    if (!isOn) return
    const hook = `--import=${new URL('reworded-hook.ts', import.meta.url).href}`
    const { NODE_OPTIONS: given = '' } = process.env
    if (!given.includes(hook)) process.env.NODE_OPTIONS = `${given} ${hook}`.trim()
  },
  transform(source: string, id: string) {
    return isOn ? rewordedSource(id, source) : undefined
  },
} satisfies NonNullable<ViteUserConfig['plugins']>[number]
