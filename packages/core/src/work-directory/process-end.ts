/** Signals that end a process, and that a person or a supervisor sends. */
const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const
type EndSignal = (typeof signals)[number]

/** Programs end before the directories in which they run are removed. */
type Phase = 'programs' | 'directories'

/** One for the process, also where a dependency brings another copy of this package. */
const key = Symbol.for('fenced.processEnd')
const shared = globalThis as { [key]?: ProcessEnd }

/**
 * Calls `act` when this process exits, or when a signal ends it, until the returned function is called. A signal for which the host
 * has or had a listener is the host's alone.
 */
export function atProcessEnd(phase: Phase, act: () => void): () => void {
  shared[key] ??= new ProcessEnd()
  return shared[key].add(phase, act)
}

/**
 * Listens for signals only while the host does not. A listener of ours keeps Node from ending the process, so it sends the signal again.
 * Node removes a `once` listener of the host before it calls it: the listeners at the time of a signal do not show whether there was one.
 */
class ProcessEnd {
  readonly #acts = { programs: new Set<() => void>(), directories: new Set<() => void>() }
  readonly #listeners = new Map<EndSignal, () => void>(
    signals.map((signal) => [signal, () => this.#endBy(signal)]),
  )
  readonly #ofHost = new Set<EndSignal>()
  #isListening = false

  constructor() {
    process.on('exit', () => this.#end())
    process.on('newListener', (event, listener) => this.#yieldTo(event, listener))
  }

  add(phase: Phase, act: () => void): () => void {
    this.#acts[phase].add(act)
    this.#listen()
    return () => {
      this.#acts[phase].delete(act)
      if (this.#acts.programs.size + this.#acts.directories.size === 0) this.#stopListening()
    }
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    for (const [signal, listener] of this.#listeners) {
      if (process.listenerCount(signal) > 0) this.#ofHost.add(signal)
      if (!this.#ofHost.has(signal)) process.on(signal, listener)
    }
  }

  #stopListening(): void {
    this.#isListening = false
    for (const [signal, listener] of this.#listeners) process.off(signal, listener)
  }

  #yieldTo(event: string | symbol, listener: unknown): void {
    const signal = signals.find((each) => each === event)
    const ours = signal && this.#listeners.get(signal)
    if (signal === undefined || ours === undefined || listener === ours) return
    this.#ofHost.add(signal)
    // Later: with the last listener, Node would stop watching for the signal, and then not watch for the new one.
    process.nextTick(() => process.off(signal, ours))
  }

  #endBy(signal: EndSignal): void {
    if (this.#ofHost.has(signal)) return
    this.#stopListening()
    this.#end()
    // Windows supports no other signal that ends a process.
    process.kill(process.pid, process.platform === 'win32' ? 'SIGTERM' : signal)
  }

  #end(): void {
    for (const acts of [this.#acts.programs, this.#acts.directories]) {
      for (const act of acts) act()
      acts.clear()
    }
  }
}
