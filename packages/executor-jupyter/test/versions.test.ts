// @module-tag all

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notice } from '@fenced/core'
import { requirement } from '@fenced/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  cancelledAtOutput,
  directExecutor,
  jupyter,
  jupyterPython,
  longGrace,
  python,
  run,
  savesWork,
} from './support.ts'

const folder = join(jupyterPython, 'versions')
const older = existsSync(folder) ? readdirSync(folder) : []
const versions = requirement(
  'ipykernel-versions',
  jupyter.missing || older.length > 0 ? undefined : `${jupyterPython} has no older versions of ipykernel`,
)

describe.skipIf(jupyter.missing || versions.missing)('an older ipykernel', () => {
  test.each(older)(
    '%s: supports all steps but `take-requests`, and ends a cell as the newest does',
    async (version) => {
      await using executor = directExecutor({ ...longGrace, python: join(folder, version) })
      const notices: Notice[] = []
      await executor.start({ onNotice: (notice) => notices.push(notice) })
      expect(notices).toMatchObject([{ code: 'kernel-step-off', data: { steps: 'take-requests', version } }])
      await run(executor, ...leavesThread, ...leavesProgram)
      const next = await run(executor, 'go.set(); thread.join(); program.communicate(); print("next")')
      expect(next).toMatchObject({ output: 'next\n', blocks: [{ notices: [{ code: 'late-output' }] }] })
      const { status } = await cancelledAtOutput(executor, ...savesWork)
      expect(status).toBe('cancelled')
      expect((await run(executor, 'print(*saved)')).output).toBe('begun done\n')
    },
  )
})

const leavesThread = [
  'import threading',
  'go = threading.Event()',
  'thread = threading.Thread(target=lambda: (go.wait(), print("late", flush=True)))',
  'thread.start()',
]

const leavesProgram = [
  'import subprocess',
  'program = subprocess.Popen(["sh", "-c", "read _; echo late"], stdin=subprocess.PIPE)',
]

describe.skipIf(jupyter.missing)('an ipykernel without a part that a step needs', () => {
  test('has the other steps, and a notice names the step', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const startup = join(home, 'profile_default', 'startup')
    mkdirSync(startup, { recursive: true })
    writeFileSync(join(startup, 'remove.py'), "del get_ipython().kernel.control_handlers['shutdown_request']")
    await using executor = directExecutor({ env: { IPYTHONDIR: home } })
    const notices: Notice[] = []
    await executor.start({ onNotice: (notice) => notices.push(notice) })
    expect(notices).toMatchObject([
      {
        code: 'kernel-step-off',
        data: { steps: 'end-in-order', reason: "end-in-order: KeyError: 'shutdown_request'" },
      },
    ])
    const { output } = await executor.execute([python('name = input("Your name? ")')], {
      ask: { input: async () => ({ decision: 'answer', text: 'Ann' }) },
    })
    expect(output).toBe('Your name? Ann\n')
  })
})
