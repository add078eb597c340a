import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Engine } from '@fenced/sandbox-docker'
import { requirement } from '@fenced/testing'
import Docker from 'dockerode'
import { rawEngine } from '../raw-engine.ts'
import { docker } from '../requirements.ts'
import { SmallDisk } from './small-disk.ts'

/** A dockerd of one's own can be started. */
export const privateEngine = requirement('private-dockerd', problem())

/** How a daemon is reached beside its socket. */
export interface EngineReach {
  /** Words in front of its command, which start it somewhere else. */
  readonly before: readonly string[]
  /** More of its arguments. */
  readonly arguments: readonly string[]
}

/** A Docker daemon of the test's own, which may be killed: it shares nothing with another one but the kernel. */
export class PrivateEngine implements AsyncDisposable {
  // Short: the paths of its sockets have room for about a hundred characters.
  readonly #folder = mkdtempSync(join(tmpdir(), 'fenced-e-'))
  /** Where its images and containers are, if that has a size of its own. */
  readonly disk: SmallDisk | undefined
  #daemon: ChildProcess | undefined

  readonly #reach: EngineReach

  private constructor(diskBytes: number | undefined, reach: EngineReach) {
    this.#reach = reach
    mkdirSync(this.#dataRoot)
    this.disk = diskBytes === undefined ? undefined : new SmallDisk(diskBytes, this.#dataRoot)
  }

  /**
   * @param parts - `diskBytes` is the size of its disk, by default that of the machine; `images` are those that it has,
   * by default the smallest; `reach` is how it can be reached beside its socket.
   */
  static async start({
    diskBytes,
    images = ['fenced-test/busybox'],
    reach = { before: [], arguments: [] },
  }: {
    readonly diskBytes?: number
    readonly images?: readonly string[]
    readonly reach?: EngineReach
  } = {}): Promise<PrivateEngine> {
    const engine = new PrivateEngine(diskBytes, reach)
    try {
      await engine.launch()
      for (const image of images) await engine.#load(image)
      return engine
    } catch (error) {
      await engine[Symbol.asyncDispose]()
      throw error
    }
  }

  /** For the `docker` option. */
  get address(): string {
    return `unix://${this.#folder}/docker.sock`
  }

  /** The engine itself, to look behind an executor's back. */
  async raw(): Promise<Docker> {
    return new Docker({ socketPath: this.address.replace('unix://', '') })
  }

  /** Names of all of its containers. */
  async containerNames(): Promise<string[]> {
    const all = await (await this.raw()).listContainers({ all: true })
    return all.flatMap(({ Names }) => Names.map((name) => name.slice(1)))
  }

  /** Starts it, again after {@link kill}, and waits until it answers. */
  async launch(): Promise<void> {
    const file = (name: string) => join(this.#folder, name)
    writeFileSync(file('daemon.json'), '{}')
    // A number that was left behind stops it when it is in use again, and when nobody has waited for its process.
    rmSync(file('pid'), { force: true })
    const containerd = file('exec/containerd/containerd.pid')
    if (!isOf(read(containerd).trim(), this.#folder)) rmSync(containerd, { force: true })
    const args = Object.entries({
      'config-file': file('daemon.json'),
      host: this.address,
      'data-root': this.#dataRoot,
      'exec-root': file('exec'),
      pidfile: file('pid'),
      // Should it find the machine's own containerd.
      'containerd-namespace': this.#name,
      'containerd-plugins-namespace': `${this.#name}-plugins`,
      bridge: 'none',
      iptables: 'false',
      'ip-masq': 'false',
      'cgroup-parent': `/${this.#name}`,
      'exec-opt': 'native.cgroupdriver=cgroupfs',
      'shutdown-timeout': '5',
    }).map(([option, value]) => `--${option}=${value}`)
    // Its mounts come and go with its containers; seen from outside, they get in the way of other sandboxes.
    const { before, arguments: more } = this.#reach
    const command = ['--mount', '--propagation', 'slave', '--', ...before, 'dockerd', ...args, ...more]
    const daemon = spawn('unshare', command, { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    daemon.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000)
    })
    this.#daemon = daemon
    for (let attempt = 0; attempt < 300; attempt++) {
      if (await isUp(this.address)) return
      if (hasEnded(daemon)) break
      await delay(100)
    }
    throw new Error(`The private dockerd did not come up; its log ends with:\n${log}`)
  }

  /** As when it crashes: nothing is told to anybody. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disk?.clear()
    const isGentle = await this.#end('SIGTERM', 15_000)
    if (!isGentle) await this.#end('SIGKILL')
    for (const id of processesOf(this.#folder)) {
      for (const child of childrenOf(id)) kill(child)
      kill(id)
    }
    unmountBelow(this.#folder)
    this.disk?.[Symbol.dispose]()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    removeControlGroups(this.#name)
  }

  get #name(): string {
    return basename(this.#folder)
  }

  get #dataRoot(): string {
    return join(this.#folder, 'data')
  }

  async #end(signal: NodeJS.Signals, limitMs = Infinity): Promise<boolean> {
    const daemon = this.#daemon
    if (daemon === undefined || hasEnded(daemon)) return true
    daemon.kill(signal)
    const startedAt = performance.now()
    while (!hasEnded(daemon)) {
      if (performance.now() - startedAt > limitMs) return false
      await delay(20)
    }
    return true
  }

  /** Copies an image from the engine of the other tests. */
  async #load(image: string): Promise<void> {
    const from = await rawEngine()
    const answer = await (await this.raw()).loadImage(await from.getImage(image).get())
    answer.resume()
    await finished(answer)
  }
}

function problem(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it has to be started by root on Linux'
  const { error } = spawnSync('dockerd', ['--version'])
  if (error !== undefined) return `the program dockerd is not there (${error.message})`
  return docker.missing ? 'there is no engine that its image could come from' : undefined
}

async function isUp(address: string): Promise<boolean> {
  try {
    const engine = await Engine.connect(address)
    engine.close()
    return true
  } catch {
    return false
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** What it started and left behind names its folder: containerd, and the shims, whose children the containers are. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOf(name, folder))
    .map(Number)
    .filter((id) => id !== process.pid)
}

function isOf(id: string, folder: string): boolean {
  return read(`/proc/${id}/cmdline`).includes(`${folder}/`)
}

function childrenOf(id: number): number[] {
  return read(`/proc/${id}/task/${id}/children`).trim().split(' ').filter(Boolean).map(Number)
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // It has gone by itself.
  }
}

function unmountBelow(folder: string): void {
  const targets = read('/proc/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((target) => target.startsWith(`${folder}/`))
  for (const target of targets.reverse()) spawnSync('umount', ['--lazy', target])
}

function removeControlGroups(name: string): void {
  const root = '/sys/fs/cgroup'
  for (const controller of ['.', ...readdirSync(root)]) {
    const { stdout } = spawnSync('find', [join(root, controller, name), '-depth', '-type', 'd'], {
      encoding: 'utf8',
    })
    for (const path of stdout.split('\n').filter(Boolean)) {
      try {
        rmdirSync(path)
      } catch {
        // Some of these are one and the same, under several names.
      }
    }
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
