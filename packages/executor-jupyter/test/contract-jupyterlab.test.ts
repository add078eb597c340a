// @module-tag all

import { describeExecutor } from '@fenced/contract'
import { LocalJupyterServer } from '@fenced/executor-jupyter'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter/jupyterlab'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { kernelManager, silenceConsole } from './kernel-manager.ts'
import { jupyter, jupyterPython, serverExceptions } from './support.ts'

const rows = rowTags({ nightly: [{ except: [': results'] }] })

describe.skipIf(jupyter.missing)('the contract, with the client of JupyterLab', rows, () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  silenceConsole()
  afterAll(() => server.stop())
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'jupyter, client of JupyterLab',
      create: ({ workDir, ...options }) =>
        new JupyterCodeExecutor({
          server: {
            connection: async ({ directory }) => {
              const manager = kernelManager(await server.connect())
              // The server takes a path that the types of the client do not have.
              const kernel = { name: 'python3', path: server.kernelPath(directory) }
              const connection = await manager.startNew(kernel)
              connection.disposed.connect(() => manager.dispose())
              return connection
            },
          },
          workDir,
          ...options,
        }),
      except: serverExceptions,
    },
  )
})
