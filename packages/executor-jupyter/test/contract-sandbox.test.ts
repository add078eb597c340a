// @module-tag all

import { tmpdir } from 'node:os'
import { describeExecutor } from '@fenced/contract'
import { JupyterCodeExecutor, SandboxJupyterServer } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { bubblewrap, inBubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { jupyter, serverExceptions } from './support.ts'

const isLeftOut = jupyter.missing || bubblewrap.missing

describe.skipIf(isLeftOut)('the contract, with a server in bubblewrap', { tags: 'nightly' }, () => {
  // Where the directories of the suite are made, for kernels to begin in them. Other tests run below it without isolation.
  const sandbox = inBubblewrap({ workDir: tmpdir(), allowSharedWorkDir: true })
  const server = new SandboxJupyterServer({ sandbox })
  afterAll(async () => {
    await server.stop()
    await sandbox.stop()
  })
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'jupyter, server in bubblewrap',
      create: ({ workDir, ...options }) => new JupyterCodeExecutor({ server, workDir, ...options }),
      except: serverExceptions,
    },
  )
})

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(isLeftOut)('the contract, with a kernel of our own in bubblewrap', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'jupyter, direct in bubblewrap',
      create: (options) => isolatedExecutor(options),
    },
  )
})
