import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, CodeExecutorAgent, RoundRobinGroupChat } from '@fenced/agents'
import { StopMessageTermination } from '@fenced/agents/termination'
import { serveFencedWeb, type WebAgent, type WebExecutor, type WebProblem } from '@fenced/web'
import {
  createExecutor,
  describeExecutor,
  type ExecutorName,
  type ExecutorPlace,
  problemOf,
} from './executors.ts'
import { scriptedModel, taskInOneLine } from './scripted-model.ts'

/** Serves the page until the signal is aborted. The person chooses an executor there, and decides about each program. */
export async function serve(signal: AbortSignal): Promise<true> {
  const directory = join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'fenced-demo')
  await buildPage()
  const environments = join(directory, 'environments')
  await using page = await serveFencedWeb({
    executors: await Promise.all([
      offer('bubblewrap', 'Sandbox on this machine', ['local', { environments }]),
      offer('docker', 'Container, python:3-slim', ['docker', {}]),
      offer('jupyter', 'Jupyter kernel in a sandbox', ['jupyter', {}]),
      offer('local', 'This machine, not isolated', ['local', { environments, isolation: 'none' }]),
    ]),
    models: [{ id: 'scripted', name: 'scripted (offline)', model: scriptedModel({ isTyping: true }) }],
    agents: { 'coder-and-runner': team },
    examples: [taskInOneLine],
    directory,
  })
  console.log(`Open ${page.url}\nConversations and their files are in ${directory}. Ctrl-C ends it.`)
  if (!signal.aborted) await once(signal, 'abort')
  return true
}

/** An agent that writes programs, and an agent that runs them. */
const team: WebAgent = ({ executor, ask, ledger }) =>
  new RoundRobinGroupChat({
    participants: [
      new AssistantAgent({ name: 'coder', model: scriptedModel({ isTyping: true }) }),
      new CodeExecutorAgent({ name: 'runner', executor, ask, ledger }),
    ],
    terminationCondition: new StopMessageTermination(),
  })

async function offer(
  id: string,
  name: string,
  [executor, options]: readonly [ExecutorName, Partial<ExecutorPlace>],
): Promise<WebExecutor> {
  return {
    id,
    name,
    describedBy: await describeExecutor(executor, options),
    takesPackages: executor !== 'jupyter',
    createExecutor: (place) => createExecutor(executor, { ...place, ...options }),
    check: () => check(executor, options),
  }
}

/** An image that is missing is no problem: it is pulled for the first program. */
async function check(name: ExecutorName, options: Partial<ExecutorPlace>): Promise<WebProblem | undefined> {
  const workDir = await mkdtemp(join(tmpdir(), 'fenced-demo-check-'))
  const error = await problemOf(name, { ...options, workDir, pull: 'never' })
  await rm(workDir, { recursive: true, force: true })
  if (error === undefined || error.code === 'IMAGE_NOT_FOUND') return undefined
  const [problem = '', ...repair] = error.message.split('\n')
  return { problem, repair: repair.join('\n').trim() }
}

/** In a clone, the page is built from its sources. */
async function buildPage(): Promise<void> {
  const script = new URL('../scripts/build-page.ts', import.meta.resolve('@fenced/web'))
  await (await import(script.href)).buildPage()
}
