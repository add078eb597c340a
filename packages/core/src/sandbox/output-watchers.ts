import type { OutputSink, OutputWatcher } from './sandbox-process.ts'

/** Functions that follow the output of a process besides its reader. */
export class OutputWatchers {
  readonly #watchers = new Set<OutputWatcher>()

  add(watcher: OutputWatcher): Disposable {
    this.#watchers.add(watcher)
    return { [Symbol.dispose]: () => this.#watchers.delete(watcher) }
  }

  /** Returns a sink that also passes the output to the watchers. One that throws is removed: it must not end the process. */
  tap(sink: OutputSink): OutputSink {
    return (stream, chunk) => {
      for (const watcher of this.#watchers) {
        try {
          watcher(stream, chunk)
        } catch {
          this.#watchers.delete(watcher)
        }
      }
      return sink(stream, chunk)
    }
  }
}
