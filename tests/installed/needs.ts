import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Requirement, requirement } from '@fenced/testing'
import Docker from 'dockerode'

/** Has Python, as `python:3-slim` has; packages/executor-docker makes it for the tests. */
export const image = 'fenced-test/python'

const virtualEnvironment = process.env.FENCED_TEST_JUPYTER ?? ''

/** The environment of examples: a Python with what the README lets install. */
export const environment: NodeJS.ProcessEnv =
  virtualEnvironment === '' ? process.env : { ...process.env, VIRTUAL_ENV: virtualEnvironment }

export const python = requirement('python', pythonProblem())
export const docker = requirement('docker', await dockerProblem())
export const bubblewrap = requirement('bubblewrap', bubblewrapProblem())
export const jupyter = requirement(
  'jupyter',
  existsSync(join(virtualEnvironment, 'bin/python'))
    ? undefined
    : 'FENCED_TEST_JUPYTER names no virtual environment with Jupyter',
)

const kubernetes = requirement(
  'kubernetes-example',
  'its cluster has no namespace that is ready for it; the package runs its own example',
)

const needed: Readonly<Record<string, readonly Requirement[]>> = {
  agents: [python, bubblewrap],
  'ai-sdk': [bubblewrap],
  cli: [bubblewrap],
  contract: [python],
  'sandbox-docker': [docker],
  'executor-docker': [docker],
  'executor-jupyter': [jupyter],
  'executor-kubernetes': [kubernetes],
  'executor-local': [python, bubblewrap],
  host: [python],
  'python-env': [python],
  opentelemetry: [bubblewrap],
  sandbox: [python, bubblewrap],
  'sandbox-local': [bubblewrap],
  web: [bubblewrap],
}

/** What the first example of a package needs of this machine. */
export function needs(name: string): readonly Requirement[] {
  return needed[name] ?? []
}

function bubblewrapProblem(): string | undefined {
  try {
    execFileSync('bwrap', ['--ro-bind', '/', '/', 'true'])
    return undefined
  } catch (error) {
    return `bwrap does not work (${error instanceof Error ? error.message : error})`
  }
}

function pythonProblem(): string | undefined {
  try {
    execFileSync('python3', ['-c', ''])
    return undefined
  } catch {
    return 'there is no python3'
  }
}

async function dockerProblem(): Promise<string | undefined> {
  try {
    await new Docker().getImage(image).inspect()
    return undefined
  } catch (error) {
    return `no engine has the image ${image}; type: eval "$(packages/executor-docker/test/engines/engines start docker)" (${error})`
  }
}
