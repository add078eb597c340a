import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { ofLaterLevel } from './levels.ts'
import type { MissingRequirement } from './requirement.ts'

const startEngine = (name: string) => `eval "$(packages/executor-docker/test/engines/engines start ${name})"`

const startCluster = 'eval "$(packages/executor-kubernetes/test/cluster/cluster start)"'

/** What makes a requirement usable, to be typed in the root of the repository. */
const remedies: Readonly<Record<string, string>> = {
  python: 'apt-get install python3 python3-pip python3-venv',
  bubblewrap: 'apt-get install bubblewrap',
  busybox: 'apt-get install busybox-static',
  openssl: 'apt-get install openssl',
  sshd: 'apt-get install openssh-server',
  'docker-registry': 'apt-get install docker-registry',
  'docker-cli': 'apt-get install docker-cli',
  'docker-buildkit': 'a docker command with BuildKit: apt-get install docker-buildx',
  docker: startEngine('docker'),
  'docker-test-image': startEngine('docker'),
  'private-dockerd': startEngine('docker'),
  runsc: startEngine('docker'),
  podman: startEngine('podman'),
  'remote-docker': startEngine('remote'),
  'ssh-docker': startEngine('ssh'),
  kubernetes: startCluster,
  'own-kubernetes': startCluster,
  jupyter: 'packages/executor-jupyter/test/jupyter/make-python',
  uv: 'packages/python-env/test/make-uv',
  'python-clients': 'packages/sandbox-local/test/make-python-clients',
  'every-program': 'FENCED_TEST_EVERY_PROGRAM=1 npx -y pnpm test warm-and-cold',
}

/** Ends a run with one list: what was missing, how many tests were skipped for it, and what would make them run. */
export class SkippedReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const skipped = testModules.flatMap((module) => [...module.children.allTests('skipped')])
    if (skipped.length === 0) return
    const causes = skipped.map(causeOf)
    const missing = causes.filter(({ name }) => name !== ofLaterLevel.name)
    if (missing.length > 0) process.stdout.write(`${listOf(missing)}\n`)
    if (missing.length < causes.length)
      process.stdout.write(`\n \`npx -y pnpm test:all\` runs more: ${ofLaterLevel.problem}.\n`)
  }
}

const noRequirement: MissingRequirement = {
  name: 'other reasons',
  problem: 'the test itself tells when it can run',
}

/** The requirement of the test's skip, of the nearest suite with one, or the first requirement of the file. */
function causeOf(test: TestCase): MissingRequirement {
  let task: TestCase | TestSuite | TestModule = test
  while (true) {
    const [first] = task.meta().missing ?? []
    if (first !== undefined) return first
    if (task.type === 'module') return noRequirement
    task = task.parent
  }
}

function listOf(causes: readonly MissingRequirement[]): string {
  const byName = Map.groupBy(causes, ({ name }) => name)
  const rows = [...byName.values()].sort((one, other) => other.length - one.length)
  const width = Math.max(...[...byName.keys()].map(({ length }) => length))
  const lines = rows.flatMap((row) => {
    const [{ name, problem }] = row as [MissingRequirement]
    const indent = ' '.repeat(width + 2)
    const reason = problem.trim().split('\n', 1)[0]
    return [
      `  ${name.padEnd(width)}  ${counted(row.length)}: ${reason}`,
      ...(remedies[name] === undefined ? [] : [`  ${indent}$ ${remedies[name]}`]),
    ]
  })
  return ['', ` Skipped ${counted(causes.length)}:`, ...lines].join('\n')
}

function counted(tests: number): string {
  return tests === 1 ? '1 test' : `${tests} tests`
}
