/**
 * Amounts that noise of a machine does not change, as times do. A commit that raises one gives the reason. Page faults are those of CPython 3.11
 * on Linux.
 */
export const budgets = {
  /** Files of sources and libraries, without Node's own modules. */
  modules: {
    '@fenced/markdown': 26,
    '@fenced/core': 195,
    '@fenced/executor-local': 515,
    '@fenced/executor-docker': 780,
  },
  modulesOfVersion: 18,
  pageFaultsOfWarmBlock: 2_000,
  bubblewrapStartsOfRun: 1,
} as const
