/**
 * Amounts that noise of a machine does not change, as times do. A commit that raises one gives the reason. Page faults are those of CPython 3.11
 * on Linux, where `print(1)` ends short.
 */
export const budgets = {
  /** Files of sources and libraries, without Node's own modules. */
  modules: {
    '@fenced/markdown': 23,
    '@fenced/core': 236,
    '@fenced/executor-local': 522,
    '@fenced/executor-docker': 767,
  },
  modulesOfVersion: 18,
  pageFaultsOfWarmBlock: 540,
  /** With NumPy, pandas and Matplotlib preloaded. */
  pageFaultsWithLibraries: 1_700,
  /** In a container, by its own Python. */
  pageFaultsInContainer: 530,
  /** System calls of Fenced and of what it starts. Those that wait are not counted. A start looks more often on a busy machine. */
  systemCallsOfWarmBlock: 205,
  systemCallsOfCell: 105,
  /** A cell of a session, and its checkpoint, with 20 checkpoints beside it. */
  systemCallsOfSessionCell: 400,
  systemCallsOfRun: 21_000,
  bubblewrapStartsOfRun: 1,
} as const

/** What the figures of a table in `docs/performance.md` depend on, by the name of its bench. A table of other counts is measured again. */
export const countsOfTables: Readonly<Record<string, readonly (readonly [count: number, what: string])[]>> = {
  warm: [[budgets.pageFaultsOfWarmBlock, 'page faults of a warm block']],
  docker: [[budgets.pageFaultsInContainer, 'page faults of a warm block in a container']],
  jupyter: [[budgets.systemCallsOfCell, 'system calls of a cell']],
  command: [
    [budgets.modulesOfVersion, 'modules of `--version`'],
    [budgets.bubblewrapStartsOfRun, 'starts of bubblewrap'],
  ],
}
