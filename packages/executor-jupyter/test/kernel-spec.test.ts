import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findKernelSpec } from '../src/kernel/kernel-spec.ts'

/** A program that answers every question with this text. */
async function pythonThatPrints(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-python-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'python'), `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`, { mode: 0o755 })
  return join(folder, 'python')
}

const { signal } = new AbortController()

test
  .skipIf(process.platform === 'win32')
  .for([
    'Traceback (most recent call last):',
    '{}',
    '{"kernelspecs": []}',
    '{"kernelspecs": {"bash": {}}}',
    '{"kernelspecs": {"bash": {"spec": {"argv": "bash"}}}}',
  ])('a list of kernels that cannot be read is an error with its text: %s', async (answer) => {
  const python = await pythonThatPrints(answer)
  await expect(findKernelSpec(python, 'bash', signal)).rejects.toMatchObject({
    code: 'KERNEL_NOT_FOUND',
    data: { python, output: answer },
  })
})

test.skipIf(process.platform === 'win32')('a kernel is read from the list, with defaults', async () => {
  const spec = { argv: ['bash', '{connection_file}'], display_name: 'Bash', interrupt_mode: 'other' }
  const python = await pythonThatPrints(JSON.stringify({ kernelspecs: { bash: { spec }, broken: 1 } }))
  await expect(findKernelSpec(python, 'bash', signal)).resolves.toEqual({
    command: spec.argv,
    isOwn: false,
    env: {},
    interruptMode: 'signal',
  })
  await expect(findKernelSpec(python, 'cobol', signal)).rejects.toMatchObject({
    code: 'KERNEL_NOT_FOUND',
    data: { known: 'bash, broken' },
  })
})
