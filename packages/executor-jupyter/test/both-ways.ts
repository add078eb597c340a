import {
  JupyterCodeExecutor,
  type JupyterExecutorOptions,
  LocalJupyterServer,
} from '@fenced/executor-jupyter'
import { longTests } from '@fenced/testing'
import { afterAll, describe } from 'vitest'
import { bubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { directExecutor, jupyter, jupyterPython } from './support.ts'

/** Makes an unstarted executor. */
export type Create = (options?: JupyterExecutorOptions) => JupyterCodeExecutor

/**
 * The same tests with a kernel of our own and with one of a server, and where they are about what an isolated one does, too, with one
 * of our own in bubblewrap. Long ones are left out of a usual run.
 */
export function describeBothWays(
  body: (create: Create) => void,
  { long = false, isolated = false } = {},
): void {
  const isLeftOut = jupyter.missing || (long && longTests.missing)
  describe.skipIf(isLeftOut)('a kernel of our own', () => body(directExecutor))
  if (isolated) {
    const isMissing = isLeftOut || bubblewrap.missing || longTests.missing
    describe.skipIf(isMissing)('a kernel of our own in bubblewrap', () => body(isolatedExecutor))
  }
  describe.skipIf(isLeftOut)('a kernel of a server', () => {
    const server = new LocalJupyterServer({ python: jupyterPython })
    afterAll(() => server.stop())
    body((options) => new JupyterCodeExecutor({ server, ...options }))
  })
}
