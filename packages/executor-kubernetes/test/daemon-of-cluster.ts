import { spawn } from 'node:child_process'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { testCluster } from './requirements.ts'

/** A daemon of a cluster of `cluster/cluster`, which can be killed and started again as it was. */
export class ClusterDaemon {
  readonly #folder: string
  /** Whose namespaces it shares. */
  readonly #beside: string | undefined
  #command: readonly string[] = []

  private constructor(folder: string, beside?: string) {
    this.#folder = join(dirname(testCluster.kubeconfig), folder)
    this.#beside = beside && join(dirname(testCluster.kubeconfig), beside)
  }

  static apiServer(): ClusterDaemon {
    return new ClusterDaemon('apiserver')
  }

  static kubelet(node: 1 | 2): ClusterDaemon {
    return new ClusterDaemon(`node-${node}/kubelet`, `node-${node}/containerd`)
  }

  /** As when it crashes. */
  async kill(): Promise<void> {
    const pid = pidIn(this.#folder)
    this.#command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
    process.kill(pid, 'SIGKILL')
    while (isAlive(pid)) await delay(20)
  }

  /** Starts it again; it may take a while to be usable. */
  start(): void {
    const namespaces =
      this.#beside === undefined
        ? []
        : ['nsenter', `--target=${pidIn(this.#beside)}`, '--mount', '--net', '--']
    const [program = '', ...args] = [...namespaces, ...this.#command]
    const log = openSync(join(this.#folder, 'log'), 'a')
    const child = spawn(program, args, { cwd: this.#folder, detached: true, stdio: ['ignore', log, log] })
    child.unref()
    writeFileSync(join(this.#folder, 'pid'), `${child.pid}\n`)
  }
}

function pidIn(folder: string): number {
  return Number(readFileSync(join(folder, 'pid'), 'utf8'))
}

/** One that nobody has waited for counts as ended. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
