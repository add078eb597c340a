import { describe, expect, it } from 'vitest'
import { createExecutor, type ExecutorChoice } from './create-executor.ts'
import { whatItMayUse, whereItRuns } from './executor-facts.ts'

const inDocker = {
  executor: 'docker',
  image: 'python:3-slim',
  build: undefined,
  packages: [],
  network: 'none',
} as const

describe('where the code runs', () => {
  it('is said for each executor', ({ everyRow }) =>
    everyRow<[string, ExecutorChoice]>(
      [
        [
          'on this machine, not isolated: the code can do what you can do',
          { executor: 'local', isolation: 'none' },
        ],
        [
          'on this machine, in a bubblewrap sandbox without network',
          { executor: 'local', isolation: 'bubblewrap' },
        ],
        [
          'in a Jupyter kernel on this machine, not isolated: the code can do what you can do',
          { executor: 'jupyter', python: undefined, server: undefined },
        ],
        [
          'in a kernel of the Jupyter server at box: the code can do what that server can do',
          { executor: 'jupyter', python: undefined, server: { host: 'box' } },
        ],
        ['in a container of python:3-slim, without network', inDocker],
        ['in a container of python:3-slim, with a network', { ...inDocker, network: 'bridge' }],
        ['in a container of python:3-slim with numpy, without network', { ...inDocker, packages: ['numpy'] }],
        ['in a container built from here, without network', { ...inDocker, image: undefined, build: 'here' }],
      ],
      async (words, choice) => {
        const { capabilities } = await createExecutor(choice, { timeoutMs: 1_000, workDir: 'unused' })
        expect(whereItRuns(choice, capabilities)).toBe(words)
      },
    ))
})

describe('what it may use', () => {
  it.each<[string[], ExecutorChoice]>([
    [[], { executor: 'local', isolation: 'none' }],
    [['2 GiB of memory', '1 processor'], inDocker],
  ])('is said: %o', async (words, choice) => {
    const { capabilities } = await createExecutor(choice, { timeoutMs: 1_000, workDir: 'unused' })
    expect(whatItMayUse(capabilities)).toEqual(words)
  })
})
