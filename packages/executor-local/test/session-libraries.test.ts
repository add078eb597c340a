// @module-tag nightly

import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'
import { describe, expect, test } from 'vitest'
import { sessions } from './session-libraries/sessions.ts'

const python = process.env.FENCED_TEST_LIBRARIES
const libraries = requirement(
  'session-libraries',
  python === undefined ? 'FENCED_TEST_LIBRARIES names no Python with libraries' : undefined,
)

/** Sessions in which something cannot survive a copy of Python. The result of an undo names it. */
const named = [
  'requests to a server that is a thread',
  'a thread that works on a queue',
  'a pool of processes',
  'jax, a compiled function',
  'a server in a subprocess',
]

const start = (options = {}) => new LocalCommandLineCodeExecutor({ python, stateful: true, ...options })

async function cell(executor: LocalCommandLineCodeExecutor, code: string): Promise<string> {
  const { blocks } = await executor.execute([{ language: 'python', code }], { timeoutMs: 60_000 })
  return `${blocks[0]?.stdout}${blocks[0]?.stderr}`.replaceAll(/<cell \d+>/g, '<cell>')
}

/** What the cells print without an undo. */
async function plain(cells: readonly string[]): Promise<string[]> {
  await using executor = start({ checkpoints: 0 })
  const printed: string[] = []
  for (const code of cells) printed.push(await cell(executor, code))
  return printed
}

/** Runs each cell twice, with an undo between. What the second run prints, and what the undo says that it cannot restore. */
async function undone(cells: readonly string[]): Promise<{ printed: string[]; lacks: string[] }> {
  await using executor = start()
  const printed: string[] = []
  const lacks: string[] = []
  for (const code of cells) {
    await cell(executor, code)
    const notices = (await executor.session?.undo())?.notices ?? []
    for (const { code, data } of notices) {
      if (code !== 'state-restored' || data?.notUndone !== undefined) lacks.push(JSON.stringify(data))
    }
    printed.push(await cell(executor, code))
  }
  return { printed, lacks }
}

describe.skipIf(libraries.missing)('undo before each cell of a session with libraries', () => {
  test.each(Object.entries(sessions))('%s', { timeout: 300_000 }, async (name, cells) => {
    const expected = await plain(cells)
    expect(expected.join('')).not.toContain('Traceback')
    const { printed, lacks } = await undone(cells)
    if (named.includes(name)) expect(lacks).not.toEqual([])
    else expect(printed).toEqual(expected)
  })
})
