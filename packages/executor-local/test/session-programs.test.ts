import { expectUndone } from '@fenced/testing'
import { describe, expect, test } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { bubblewrap, python } from './requirements.ts'

describe.skipIf(process.platform !== 'linux' || python.missing)('undo after generated programs', () => {
  test('restores a session in a local process, 20 times', { tags: ['all'], timeout: 300_000 }, async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    await expectUndone(expect, executor, { python: 'python3', first: 100, count: 20 })
  })

  test('restores a session in a local process, 500 times', {
    tags: ['nightly'],
    timeout: 1_800_000,
  }, async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    await expectUndone(expect, executor, { python: 'python3', first: 1_000, count: 500 })
  })

  test.skipIf(bubblewrap.missing)(
    'restores a session in bubblewrap, 500 times',
    { tags: ['nightly'], timeout: 1_800_000 },
    async () => {
      await using executor = new LocalCommandLineCodeExecutor({ stateful: true, isolation: 'bubblewrap' })
      await expectUndone(expect, executor, { python: 'python3', first: 2_000, count: 500 })
    },
  )
})
