import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import {
  KubernetesCommandLineCodeExecutor,
  type KubernetesExecutorOptions,
} from '@fenced/executor-kubernetes'
import type { Bench } from './measure.ts'
import { beside, compare, Skipped, type Versions } from './measure.ts'
import { coldName, Peers, runProgram, shortProgram, taskRows, warmName } from './peers.ts'
import { programOutput } from './processes.ts'

/** A model writes between two blocks, and a node clears up after each. */
const pauseMs = 100
const plainPod = 'plain'

/** Of the cluster that `KUBECONFIG` names, for one run. */
interface BenchNamespace extends AsyncDisposable {
  readonly name: string
  /** What kubectl prints in it, trimmed. */
  readonly kubectl: (...args: string[]) => Promise<string>
}

/** The shortest block in a pod, compared with `kubectl exec` and AutoGen's executor. Each has a separate pod of the same image. */
export const kubernetesBench: Bench = async ({ rounds = 60, image, kubectl, autogenPods }) => {
  await using namespace = await newNamespace(kubectl)
  const options: KubernetesExecutorOptions = {
    ...{ namespace: namespace.name, network: 'open' },
    pod: { image, imagePullPolicy: 'IfNotPresent' },
  }
  await using cold = new KubernetesCommandLineCodeExecutor({ ...options, warm: false })
  await using warm = new KubernetesCommandLineCodeExecutor(options)
  await startPlainPod(namespace, image)
  await using peers = await Peers.open({ autogenPods }, { image, namespace: namespace.name })
  const code = 'import platform; print(platform.python_version())'
  const python = await programOutput(cold, { language: 'python', code })
  const versions = { ...(await versionsOf(namespace)), Python: python, ...peers.versions }
  const times = await compare<string>({
    rounds,
    warmUpRounds: 5,
    pauseMs,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [coldName]: () => runProgram(cold, shortProgram),
      '`kubectl exec`': () => namespace.kubectl('exec', plainPod, '--', 'python3', '-c', shortProgram.code),
      ...peers.contenders(shortProgram),
    },
  })
  const { [warmName]: _, [coldName]: coldTimes, ...others } = times
  return [
    ...taskRows({ task: '`print(1)` in a pod', times, versions }),
    ...Object.entries(others).flatMap(([name, reference]) =>
      beside({
        measured: `\`print(1)\` in a pod with \`warm: false\` ÷ ${name}`,
        ours: coldTimes,
        reference,
      }),
    ),
  ]
}

/** @throws Skipped where no cluster makes one. */
async function newNamespace(program: string): Promise<BenchNamespace> {
  if (process.env.KUBECONFIG === undefined)
    throw new Skipped('KUBECONFIG names no cluster in which it may make a namespace.')
  const name = `fenced-bench-${randomBytes(5).toString('hex')}`
  const kubectl = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(program, ['--namespace', name, ...args])
    return stdout.trim()
  }
  try {
    await kubectl('create', 'namespace', name)
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    const why = code === 'ENOENT' ? `there is no program ${program}.` : stderr.trim()
    throw new Skipped(`${why} --kubectl names a kubectl, and KUBECONFIG its cluster.`, { cause: error })
  }
  return {
    ...{ name, kubectl },
    async [Symbol.asyncDispose]() {
      await kubectl('delete', 'namespace', name, '--wait=false')
    },
  }
}

/** A pod as one makes it by hand. */
async function startPlainPod({ kubectl }: BenchNamespace, image: string): Promise<void> {
  const command = ['--command', '--', 'sleep', '3600']
  await kubectl('run', plainPod, `--image=${image}`, '--image-pull-policy=IfNotPresent', ...command)
  await kubectl('wait', '--for=condition=Ready', `pod/${plainPod}`, '--timeout=120s')
}

async function versionsOf({ kubectl }: BenchNamespace): Promise<Versions> {
  const { clientVersion, serverVersion } = JSON.parse(await kubectl('version', '--output=json'))
  return { Kubernetes: serverVersion.gitVersion, kubectl: clientVersion.gitVersion }
}
