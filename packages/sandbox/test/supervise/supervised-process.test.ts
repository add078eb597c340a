import type { BackendProcess, OutputSink, SandboxBackend } from '@fenced/core/sandbox'
import { expect, it } from 'vitest'
import { SupervisedProcess } from '../../src/supervise/supervised-process.ts'

it('is killed also when it had not begun at the first time', async () => {
  const runId = 'ab'.repeat(16)
  const gate = Promise.withResolvers<void>()
  const connection: BackendProcess = {
    stdin: undefined,
    read: async (sink: OutputSink) => {
      await gate.promise
      for (const stream of ['stdout', 'stderr'] as const) {
        await sink(stream, Buffer.from(`\u001e${runId}2137\u001e`))
      }
    },
    poll: async () => undefined,
    ref: () => {},
    unref: () => {},
    destroy: () => {},
  }
  const sent: string[] = []
  const process = new SupervisedProcess({
    backend: {} as SandboxBackend,
    opened: { process: connection, runId },
    program: 'sleep',
    hasStdin: false,
    output: undefined,
    signal: undefined,
    killGraceMs: 1_000,
    send: async (signal) => {
      if (sent.push(signal) > 1) gate.resolve()
    },
  })
  expect(await process.kill()).toBe('ended')
  expect(await process.ended).toEqual({ kind: 'exited', exitCode: 137, wasStopped: true })
  expect(sent).toEqual(['KILL', 'KILL'])
})
