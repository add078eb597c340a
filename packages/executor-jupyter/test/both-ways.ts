import {
  JupyterCodeExecutor,
  type JupyterExecutorOptions,
  LocalJupyterServer,
} from '@fenced/executor-jupyter'
import { afterAll, describe, type TestOptions } from 'vitest'
import { bubblewrap, isolatedExecutor } from './bubblewrap.ts'
import { directExecutor, jupyter, jupyterPython } from './support.ts'

/** Makes an unstarted executor. */
export type Create = (options?: JupyterExecutorOptions) => JupyterCodeExecutor

interface BothWaysOptions {
  readonly isolated?: boolean
  /** The levels of some of the tests, from `rowTags`. */
  readonly rows?: TestOptions
}

/**
 * The same tests with a kernel of our own and with one of a server, and where they are about what an isolated one does, too, with one
 * of our own in bubblewrap.
 */
export function describeBothWays(
  body: (create: Create) => void,
  { isolated = false, rows = {} }: BothWaysOptions = {},
): void {
  describe.skipIf(jupyter.missing)('a kernel of our own', rows, () => body(directExecutor))
  if (isolated) {
    const isMissing = jupyter.missing || bubblewrap.missing
    describe.skipIf(isMissing)('a kernel of our own in bubblewrap', rows, () => body(isolatedExecutor))
  }
  describe.skipIf(jupyter.missing)('a kernel of a server', { tags: 'all', ...rows }, () => {
    const server = new LocalJupyterServer({ python: jupyterPython })
    afterAll(() => server.stop())
    body((options) => new JupyterCodeExecutor({ server, ...options }))
  })
}
