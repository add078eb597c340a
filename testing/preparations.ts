import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { currentLevel } from './levels.ts'

/** Something that a run makes in the user's cache, without any rights, while the first tests run. */
export interface Preparation {
  readonly name: string
  /** Prints the folder of what it made: a path, and arguments. */
  readonly script: readonly [path: string, ...args: string[]]
  /** Whose tests need it. */
  readonly folders: readonly string[]
  /** Whether it is there already, or is not wanted. */
  isThere(): boolean
  /** Makes it known to the tests of this process. */
  use(made: Made): void
}

export interface Made {
  readonly folder?: string
  /** Why there is none. */
  readonly problem?: string
}

const { env } = process

/** `pnpm test` needs kernels alone. */
const isForAll = currentLevel !== 'test'

const preparations: readonly Preparation[] = [
  {
    name: 'jupyter',
    script: ['packages/executor-jupyter/test/jupyter/make-python', ...(isForAll ? [] : ['kernel'])],
    folders: ['packages/executor-jupyter/test/', 'packages/web/test/', 'apps/demo/test/', 'tests/pages.'],
    isThere: () => env.FENCED_TEST_JUPYTER !== undefined,
    use: ({ folder, problem }) => {
      if (folder !== undefined) env.FENCED_TEST_JUPYTER = folder
      if (problem !== undefined) env.FENCED_TEST_JUPYTER_PROBLEM = problem
    },
  },
  {
    name: 'uv',
    script: ['packages/python-env/test/make-uv'],
    folders: ['packages/python-env/test/', 'packages/sandbox-local/test/network-clients.'],
    isThere: () =>
      !isForAll || (env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'uv'))),
    use: ({ folder }) => {
      if (folder !== undefined) env.PATH += `${delimiter}${folder}`
    },
  },
  {
    name: 'python-clients',
    script: ['packages/sandbox-local/test/make-python-clients'],
    folders: ['packages/sandbox-local/test/network-clients.'],
    isThere: () => !isForAll || env.FENCED_TEST_PYTHON_CLIENTS !== undefined,
    use: ({ folder }) => {
      if (folder !== undefined) env.FENCED_TEST_PYTHON_CLIENTS = folder
    },
  },
]

/** The preparations that a test file needs. */
export function preparationsFor(file: string): readonly Preparation[] {
  return preparations.filter(({ folders }) => folders.some((folder) => file.includes(`/${folder}`)))
}

/** Names the folder of a run, which goes with it. In a file for each preparation the run says what was made. */
export const runFolderVariable = 'FENCED_TEST_RUN_FOLDER'

/** Waits, in a worker, for what a test file needs. */
export async function usePreparations(file: string): Promise<void> {
  const folder = env[runFolderVariable]
  if (folder === undefined) return
  for (const preparation of preparationsFor(file)) {
    if (preparation.isThere()) continue
    const path = join(folder, preparation.name)
    while (!existsSync(path)) await delay(100)
    preparation.use(JSON.parse(readFileSync(path, 'utf8')))
  }
}
