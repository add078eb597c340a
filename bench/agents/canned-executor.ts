import type { CodeBlock, CodeExecutor, CodeResult } from '@fenced/core'
import { Running } from '@fenced/core/internal'

/** Runs nothing, and always has the same result. */
export const cannedExecutor: CodeExecutor = {
  name: 'canned',
  capabilities: {
    languages: ['python'],
    isolation: 'none',
    stateful: false,
    richOutput: false,
    network: false,
    limits: { memory: false, processes: false },
  },
  workDir: undefined,
  start: async () => {},
  restart: async () => {},
  stop: async () => {},
  execute: (blocks) => execution(resultOf(blocks)),
  [Symbol.asyncDispose]: async () => {},
}

function execution(result: CodeResult): ReturnType<CodeExecutor['execute']> {
  return new Running({
    result: Promise.resolve(result),
    events: {
      claimReader: () => {},
      read: async function* () {
        yield { type: 'execution-end' as const, result }
        return undefined
      },
      release: () => {},
    },
    cancel: () => {},
  })
}

function resultOf(blocks: readonly CodeBlock[]): CodeResult {
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks were found instead of one.`)
  return {
    status: 'ok',
    exitCode: 0,
    output: '129\n',
    blocks: [],
    files: [],
    durationMs: 0,
    queuedMs: 0,
    isolation: { kind: 'none', network: false, particulars: {} },
  }
}
