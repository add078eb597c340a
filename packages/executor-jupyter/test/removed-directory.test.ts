// @module-tag all

import { readdir, rm } from 'node:fs/promises'
import type { CodeResult } from '@fenced/core'
import { describe, expect, test } from 'vitest'
import { bubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { directExecutor, jupyter, run } from './support.ts'

const writes = ['open("result.csv", "w").close()', 'print(value)']

const codesOf = ({ blocks }: CodeResult) => blocks.flatMap(({ notices }) => notices).map(({ code }) => code)

describe.skipIf(jupyter.missing)('a kernel whose working directory was removed', () => {
  test('writes into the new one, and keeps its variables', async () => {
    await using executor = directExecutor()
    await run(executor, 'value = 42')
    await rm(executor.workDir ?? '', { recursive: true })
    const result = await run(executor, ...writes)
    expect(result).toMatchObject({ status: 'ok', output: '42\n', files: [{ path: 'result.csv' }] })
    expect(codesOf(result)).toEqual(['work-dir-recreated'])
    expect(await readdir(executor.workDir ?? '')).toEqual(['result.csv'])
  })

  test('stays where a program of it has gone', async () => {
    await using executor = directExecutor()
    await run(executor, 'import os', 'os.chdir("/")')
    await rm(executor.workDir ?? '', { recursive: true })
    expect((await run(executor, 'print(os.getcwd())')).output).toBe('/\n')
  })

  test.skipIf(bubblewrap.missing)('is replaced in bubblewrap, and says that variables are lost', async () => {
    await using executor = isolatedExecutor()
    await run(executor, 'value = 42')
    await rm(executor.workDir ?? '', { recursive: true })
    const result = await run(executor, ...writes)
    expect(result).toMatchObject({ status: 'error', output: expect.stringContaining('NameError') })
    expect(codesOf(result)).toEqual(['work-dir-recreated', 'state-lost'])
    expect(await readdir(executor.workDir ?? '')).toEqual(['result.csv'])
  })
})
