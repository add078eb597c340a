// @module-tag all

import { execFileSync } from 'node:child_process'
import { describeExecutor } from '@fenced/contract'
import { requirement, rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { cExecutor } from './c-executor.ts'

const compiler = requirement('cc', problem())

function problem(): string | undefined {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no C compiler `cc`'
  }
}

const main = (statements: string) => ({
  language: 'c',
  code: `#include <stdio.h>\nint main(void) { ${statements} }`,
})

describe.skipIf(compiler.missing)('an executor that compiles', () => {
  it('runs programs one after the other, and leaves no file of the compiler', async () => {
    await using executor = cExecutor()
    const result = await executor.execute([
      main('puts("one");'),
      main('puts("two"); return 3;'),
    ])
    expect(result).toMatchObject({
      status: 'error',
      exitCode: 3,
      output: 'one\ntwo\n',
      files: [],
    })
  })

  it('shows what the compiler says, and runs nothing then', async () => {
    await using executor = cExecutor()
    const { status, blocks } = await executor.execute([
      main('puts("one"); no_such_name;'),
    ])
    expect(status).toBe('error')
    expect(blocks[0]?.stderr).toContain('no_such_name')
    expect(blocks[0]?.stdout).toBe('')
  })

  it('stops a compiled program that does not end', async () => {
    await using executor = cExecutor()
    const controller = new AbortController()
    const endless = main('puts("begun"); fflush(stdout); for (;;);')
    const execution = executor.execute([endless], {
      signal: controller.signal,
    })
    for await (const { type } of execution)
      if (type === 'stdout') controller.abort()
    expect(await execution).toMatchObject({
      status: 'cancelled',
      output: expect.stringMatching(/^begun\n/),
    })
  })
})

describe.skipIf(compiler.missing)(
  'the contract',
  rowTags({ nightly: [{ except: [': results'] }] }),
  () => {
    describeExecutor(
      { describe: describe.concurrent, it },
      {
        name: 'c',
        create: cExecutor,
        programs: {
          c: { print: (text) => main(`puts("${text}");`).code },
        },
      },
    )
  },
)
