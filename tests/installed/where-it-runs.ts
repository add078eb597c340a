import { bun, deno } from './runtimes.ts'
import { bundlers } from './where-bundlers.ts'
import { executors } from './where-executors.ts'
import { frameworks } from './where-frameworks.ts'
import { block, type Place, versionOf } from './where-place.ts'

const agents = ['@fenced/agents', 'ai@7.0.173', 'zod@4.6.7']
const yarn = 'node "$YARN"'
const node = ['node block.mjs']

const runtime = { ...block, group: 'Runtime' } as const
const manager = { ...block, group: 'Package manager' } as const
const runner = { ...block, group: 'Test runner', packages: ['jest@30.5.2', 'vitest@5.1.1'] } as const
const system = { ...block, group: 'System' } as const

/** Runs `block.mjs` in bubblewrap, with another view of the system. */
const inView = (view: string) => `bwrap ${view} --chdir "$PWD" node block.mjs`

const runtimes: readonly Place[] = [
  {
    ...runtime,
    name: 'Node 22.18',
    version: '"$OLDEST_NODE" --version',
    commands: ['"$OLDEST_NODE" block.mjs'],
  },
  { ...runtime, name: 'Node 24', commands: node },
  {
    ...runtime,
    name: 'Node 26',
    version: '"$NEWEST_NODE" --version',
    commands: ['"$NEWEST_NODE" block.mjs'],
  },
  {
    ...runtime,
    name: 'Bun',
    version: `${bun.join(' ')} --version`,
    commands: [`${bun.join(' ')} block.mjs`],
  },
  {
    ...runtime,
    name: 'Deno',
    version: `${deno.join(' ')} --version`,
    // With two inherited descriptors. Node, which npx runs on, passes on no descriptor up to 15.
    commands: [`bash -c 'exec ${deno.join(' ')} run --allow-all block.mjs 98</dev/null 99</dev/null'`],
  },
]

const packageManagers: readonly Place[] = [
  { ...manager, name: 'npm', version: 'npm --version', commands: node },
  { ...manager, name: 'pnpm', manager: 'pnpm', version: 'npx --yes pnpm --version', commands: node },
  {
    ...manager,
    name: 'Yarn, node_modules',
    manager: 'yarn',
    version: `${yarn} --version`,
    commands: [`${yarn} node block.mjs`],
  },
  {
    ...manager,
    name: "Yarn, Plug'n'Play",
    manager: 'yarn-pnp',
    packages: agents,
    version: `${yarn} --version`,
    commands: [`${yarn} node --eval "import('@fenced/agents')"`, `${yarn} node block.mjs`],
  },
  { ...manager, name: 'bun add', manager: 'bun', version: `${bun.join(' ')} --version`, commands: node },
]

const testRunners: readonly Place[] = [
  {
    ...runner,
    name: 'Jest with --experimental-vm-modules',
    version: versionOf('jest'),
    commands: [
      `NODE_OPTIONS=--experimental-vm-modules jest --transform '{}' --testMatch '**/block.test.mjs' 2>&1`,
    ],
    prints: /1 passed/,
  },
  ...['forks', 'threads', 'vmForks', 'vmThreads'].map(
    (pool): Place => ({
      ...runner,
      name: `Vitest, ${pool}`,
      version: versionOf('vitest'),
      commands: [`vitest run --globals --pool ${pool} block.test.mjs`],
      prints: /Tests +1 passed/,
    }),
  ),
  {
    ...block,
    group: 'Test runner',
    name: 'node:test',
    commands: ['node --test node.test.mjs'],
    prints: /pass 1/,
  },
]

const processes: readonly Place[] = [
  { ...block, group: 'Process', name: 'Worker thread', commands: ['node worker.mjs'] },
  { ...block, group: 'Process', name: 'Cluster', commands: ['node cluster.mjs'] },
]

const systems: readonly Place[] = [
  { ...system, name: 'Without HOME', commands: ['env -u HOME node block.mjs'] },
  {
    ...system,
    name: 'Read-only root',
    commands: [inView('--ro-bind / / --dev /dev --proc /proc --tmpfs /mnt --setenv TMPDIR /mnt')],
    needs: 'bubblewrap',
  },
  {
    ...system,
    name: 'Without /dev/shm',
    commands: [
      inView(
        '--bind / / --tmpfs /dev --dev-bind /dev/null /dev/null --dev-bind /dev/urandom /dev/urandom --proc /proc',
      ),
    ],
    needs: 'bubblewrap',
  },
  {
    ...system,
    name: 'Without /proc',
    commands: [`${inView('--bind / / --dev-bind /dev /dev --tmpfs /proc')} 2>&1 || true`],
    prints: /code: 'WORK_DIR_UNUSABLE'/,
    result: 'refused with `WORK_DIR_UNUSABLE`',
    needs: 'bubblewrap',
  },
]

export const places: readonly Place[] = [
  ...runtimes,
  ...executors,
  ...packageManagers,
  ...bundlers,
  ...frameworks,
  ...testRunners,
  ...processes,
  ...systems,
]
