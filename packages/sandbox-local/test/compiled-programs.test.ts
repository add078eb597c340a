import type { Sandbox } from '@fenced/core/sandbox'
import { compileProgram } from '@fenced/host'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import type { CompiledPrograms } from '@fenced/sandbox/driver'
import { describe, expect, test, vi } from 'vitest'
import { compiledPrograms } from '../src/compiled-programs.ts'
import { LocalSandbox } from '../src/index.ts'

type PythonProgram = Parameters<CompiledPrograms['get']>[1]

const search = { python: undefined, host: process.env, path: process.env.PATH ?? '' }
const show = 'import os; print(os.environ.get("FENCED_COMPILED"))'

describe.skipIf(process.platform !== 'linux')('programs that Python has compiled before', () => {
  test('are compiled once, outside of the sandbox, after the first use', async () => {
    const program = { name: 'ours', source: 'answer = 6 * 7' }
    const programs = compiledPrograms(search)
    expect(programs.get(['python3'], program)).toBeUndefined()
    await vi.waitFor(() => expect(programs.get(['python3'], program)).toBeDefined(), 60_000)
    expect(compiledPrograms(search).get(['python3'], program)).toBe(programs.get(['python3'], program))
  })

  test.each([
    ['the same version', (bytes: Uint8Array) => bytes, 'yes\n'],
    [
      'another version',
      (bytes: Uint8Array) => Buffer.concat([Buffer.from('none'), bytes.subarray(4)]),
      'None\n',
    ],
    ['a part of them', (bytes: Uint8Array) => bytes.subarray(0, 1_000), 'None\n'],
  ])('begin a session where they are of %s', async (_, change, printed) => {
    await using sandbox = new LocalSandbox()
    const marked = async ({ name, source }: PythonProgram) =>
      compileProgram(search, { name, source: `${source}\nos.environ["FENCED_COMPILED"] = "yes"\n` })
    let compiled: Promise<Uint8Array | undefined> = Promise.resolve(undefined)
    let bytes: Uint8Array | undefined
    const get = (_python: readonly string[], program: PythonProgram) => {
      compiled = marked(program)
      return bytes && change(bytes)
    }
    const changed: Sandbox = Object.defineProperty(sandbox, 'compiledPrograms', { value: { get } })
    const printedBy = async () => {
      await using executor = new CommandLineCodeExecutor({ sandbox: changed, stateful: true })
      return (await executor.execute([{ language: 'python', code: show }])).output
    }
    expect(await printedBy()).toBe('None\n')
    bytes = await compiled
    expect(await printedBy()).toBe(printed)
  })
})
