/** Sources, and the tests that should notice a change of them: the nearest first. */
export interface Area {
  readonly name: string
  readonly sources: string
  readonly tests: readonly (readonly string[])[]
  /** Tries every N-th change, always the same ones: a run of all takes a day. */
  readonly every: number
}

export const areas: readonly Area[] = [
  {
    name: 'errors/text',
    sources: 'packages/errors/src/{text,shortened,error-message}.ts',
    tests: [['packages/errors/src/**/*.test.ts']],
    every: 2,
  },
  {
    name: 'markdown/extraction',
    sources: 'packages/markdown/src/extraction/*.ts',
    tests: [['packages/markdown/src/**/*.test.ts']],
    every: 16,
  },
  {
    name: 'core/approval',
    sources: 'packages/core/src/{approval/*,asking-executor,run-approved}.ts',
    tests: [
      ['packages/core/src/approval/*.test.ts', 'packages/core/src/{asking-executor,run-approved}.test.ts'],
      ['packages/core/test/approval/*.test.ts'],
    ],
    every: 16,
  },
  {
    name: 'core/engine',
    sources: 'packages/core/src/engine/**/*.ts',
    tests: [
      ['packages/core/src/engine/**/*.test.ts'],
      ['packages/core/test/engine/**/*.test.ts'],
      ['packages/core/src/*.test.ts', 'packages/core/src/{approval,host-tools,tool,running}/**/*.test.ts'],
    ],
    every: 20,
  },
  {
    name: 'sandbox/network',
    sources: 'packages/sandbox/src/network/**/*.ts',
    tests: [['packages/sandbox/src/network/**/*.test.ts'], ['packages/sandbox/test/network/*.test.ts']],
    every: 20,
  },
  {
    name: 'sandbox-local/isolation',
    sources: 'packages/sandbox-local/src/isolation/*.ts',
    tests: [
      [
        'packages/sandbox-local/src/**/*.test.ts',
        'packages/sandbox-local/test/{cgroup-hierarchy,limiter,mounts,protected-pythons,start-report,systemd-scopes}.test.ts',
      ],
      ['packages/sandbox-local/test/{isolated-process,etc,tested-before,control-groups,not-started}.test.ts'],
      [
        'packages/sandbox-local/test/{etc,exchanged-directory,root-files,socket-families}.attack.test.ts',
        'packages/sandbox-local/test/{network-executor,secret-clients}.test.ts',
      ],
    ],
    every: 12,
  },
]
