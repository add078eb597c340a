import type { Bench } from './measure.ts'
import type { Needing } from './needs.ts'

interface BenchEntry extends Needing {
  readonly run: Bench
  /** What it measures, for `--help`. */
  readonly about: string
  /** Whether `--quick` leaves it out, because one round takes long. */
  readonly isLong?: boolean
}

/** Every bench, by name. */
export const benches: ReadonlyMap<string, BenchEntry> = new Map<string, BenchEntry>([
  [
    'warm',
    {
      run: async (options) => (await import('./warm.bench.ts')).warmBench(options),
      about: 'Python blocks as forks of a resident Python',
      uses: ['autogen', 'ag2', 'bubblewrap', 'image', 'data'],
    },
  ],
  [
    'stream',
    {
      run: async (options) => (await import('./stream.bench.ts')).streamBench(options),
      about: 'blocks that run while their answer is written',
      uses: ['autogen'],
    },
  ],
  [
    'docker',
    {
      run: async (options) => (await import('./docker.bench.ts')).dockerBench(options),
      about: 'starts, blocks and output of containers',
      requires: ['image'],
      uses: ['autogen'],
    },
  ],
  [
    'kubernetes',
    {
      run: async (options) => (await import('./kubernetes.bench.ts')).kubernetesBench(options),
      about: 'blocks in pods',
      requires: ['cluster'],
      uses: ['autogenPods'],
    },
  ],
  [
    'kubernetes-scale',
    {
      run: async (options) => (await import('./kubernetes-scale.bench.ts')).kubernetesScaleBench(options),
      about: '1 to 1,000 executors in one process',
      requires: ['namespaces'],
      isLong: true,
    },
  ],
  [
    'jupyter',
    {
      run: async (options) => (await import('./jupyter.bench.ts')).jupyterBench(options),
      about: 'starts, cells and output of kernels',
      requires: ['jupyter'],
      uses: ['autogen'],
    },
  ],
  [
    'sessions',
    {
      run: async (options) => (await import('./sessions.bench.ts')).sessionsBench(options),
      about: 'cells of Python sessions beside kernels',
      requires: ['jupyter'],
    },
  ],
  [
    'spawn',
    {
      run: async (options) => (await import('./local.bench.ts')).spawnBench(options),
      about: 'a short block beside a bare spawn',
    },
  ],
  [
    'command',
    {
      run: async (options) => (await import('./command.bench.ts')).commandBench(options),
      about: 'calls of the `fenced` command',
      uses: ['bubblewrap'],
    },
  ],
  [
    'approval',
    {
      run: async (options) => (await import('./approval.bench.ts')).approvalBench(options),
      about: 'an approved block, with its decision in memory and in a directory',
    },
  ],
  [
    'pool',
    {
      run: async (options) => (await import('./pool.bench.ts')).poolBench(options),
      about: '200 users over a pool of 20 sandboxes',
      isLong: true,
    },
  ],
  [
    'javascript',
    {
      run: async (options) => (await import('./javascript.bench.ts')).javascriptBench(options),
      about: 'starts of JavaScript and TypeScript blocks',
      isLong: true,
    },
  ],
  [
    'output',
    {
      run: async (options) => (await import('./local.bench.ts')).outputBench(options),
      about: '100 MB of output',
    },
  ],
  [
    'output-limit',
    {
      run: async (options) => (await import('./local.bench.ts')).outputLimitBench(options),
      about: 'from the output limit to the end of a program',
      uses: ['image', 'jupyter'],
    },
  ],
  [
    'extract',
    {
      run: async (options) => (await import('./extract.bench.ts')).extractBench(options),
      about: 'extraction of code blocks from Markdown',
    },
  ],
  [
    'memory',
    {
      run: async (options) => (await import('./local.bench.ts')).memoryBench(options),
      about: 'memory of a process that runs a flood of output',
    },
  ],
  [
    'python-env',
    {
      run: async (options) => (await import('./python-env.bench.ts')).pythonEnvBench(options),
      about: 'virtual environments',
      uses: ['ag2'],
    },
  ],
  [
    'agents',
    {
      run: async (options) => (await import('./agents.bench.ts')).agentsBench(options),
      about: 'conversations of agents',
      uses: ['autogen', 'ag2'],
    },
  ],
  [
    'web',
    {
      run: async (options) => (await import('./web.bench.ts')).webBench(options),
      about: 'the page of @fenced/web in a browser',
      requires: ['chromium'],
    },
  ],
  [
    'wire',
    {
      run: async (options) => (await import('./wire.bench.ts')).wireBench(options),
      about: 'host tools and networks by list',
      uses: ['bubblewrap'],
    },
  ],
])
