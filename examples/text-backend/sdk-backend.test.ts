import { describeBackend } from '@fenced/contract'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { rowTags } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { create } from './backend-under-test.ts'
import { sdkSandbox } from './sdk-backend.ts'

const rows = rowTags({ nightly: [': processes', ': archives'] })

describeBackend(
  { describe: (name, body) => describe(name, rows, body), it },
  {
    name: 'text',
    create,
    module: import.meta.resolve('./backend-under-test.ts'),
    // A command takes some ten processes.
    commandsAtOnce: 30,
  },
)

it('runs blocks, and their files come back', async () => {
  const sandbox = sdkSandbox()
  const executor = new CommandLineCodeExecutor({ sandbox })
  onTestFinished(async () => {
    await executor.stop()
    await sandbox.stop()
  })
  const { output, files } = await executor.execute([
    { language: 'sh', code: 'printf "\\377\\000" > bytes; echo made' },
    { language: 'sh', code: 'wc -c < bytes' },
  ])
  expect(output.split(/\s+/)).toEqual(['made', '2', ''])
  expect(files).toMatchObject([{ path: 'bytes' }])
})
