import { describeBackend } from '@fenced/contract'
import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { processesLeft, requirement, rowTags, uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { create } from './backend-under-test.ts'
import { namespaceProblem } from './namespace-backend.ts'
import { namespaceSandbox } from './namespace-sandbox.ts'

const namespaces = requirement('namespaces', namespaceProblem())

const rows = rowTags({ nightly: [': processes', ': archives'] })

describe.skipIf(namespaces.missing)('namespaces of this machine', rows, () => {
  describeBackend(
    { describe, it },
    {
      name: 'namespaces',
      create,
      module: import.meta.resolve('./backend-under-test.ts'),
      commandsAtOnce: 50,
    },
  )

  it('run blocks, whose files come back and of which nothing is left', async () => {
    const seconds = uniqueSeconds()
    const sandbox = namespaceSandbox()
    const executor = new CommandLineCodeExecutor({ sandbox })
    onTestFinished(async () => {
      await executor.stop()
      await sandbox.stop()
    })
    const { output, files, blocks } = await executor.execute([
      { language: 'sh', code: `echo made > made.txt; env -i setsid sleep ${seconds} & exit 0` },
      { language: 'sh', code: 'cat made.txt' },
    ])
    expect(output).toBe('made\n')
    expect(files).toMatchObject([{ path: 'made.txt' }])
    expect(blocks[0]?.notices).toEqual([])
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('show a program no other processes', async () => {
    const { backend } = await create()
    onTestFinished(() => backend.remove())
    const options = { cwd: '/', env: {}, stdin: false, signal: AbortSignal.timeout(60_000) }
    const command = [
      '/bin/sh',
      '-c',
      'kill -0 "$1" 2>/dev/null || echo "sees no $1"',
      'sh',
      `${process.pid}`,
    ] as const
    const process_ = await backend.exec(command, options)
    let said = ''
    await process_.read((_, chunk) => {
      said += Buffer.from(chunk)
    })
    expect(said).toBe(`sees no ${process.pid}\n`)
  })
})
