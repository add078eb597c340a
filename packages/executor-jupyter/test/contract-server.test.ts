// @module-tag all

import { describeExecutor } from '@fenced/contract'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { jupyter, jupyterPython, serverExceptions } from './support.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(jupyter.missing)('the contract, with a server', rows, () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  afterAll(() => server.stop())
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'jupyter, server',
      create: ({ workDir, ...options }) => new JupyterCodeExecutor({ server, workDir, ...options }),
      except: serverExceptions,
    },
  )
})
