import type { CodeExecutor, HostToolOptions } from '@fenced/core'
import { askable } from '@fenced/core/internal'

/** The tools that the programs of an executor can call; `undefined` where its programs cannot call any. */
export function toolsOfRun(
  { tools, toolLimits }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: Pick<CodeExecutor, 'capabilities'>,
): HostToolOptions | undefined {
  return tools === undefined || toolLanguages.length === 0 ? undefined : { tools, toolLimits }
}

/** An executor whose programs can call the tools of the page, and are stopped by a person without the turn. */
export class HostedExecutor {
  readonly executor: CodeExecutor
  readonly #running = new Set<AbortController>()

  constructor(given: CodeExecutor, options: HostToolOptions) {
    // The question about the code names the tools, so the executor inside asks it.
    const inner = askable(given)
    const execute: CodeExecutor['execute'] = (blocks, call = {}) => {
      const stop = new AbortController()
      this.#running.add(stop)
      const signal = call.signal === undefined ? stop.signal : AbortSignal.any([call.signal, stop.signal])
      const execution = inner.execute(blocks, { ...toolsOfRun(options, inner), ...call, signal })
      void execution.then(
        () => this.#running.delete(stop),
        () => this.#running.delete(stop),
      )
      return execution
    }
    // All else is the executor's own, also what only Fenced knows of it.
    this.executor = new Proxy(inner, {
      get(target, key) {
        if (key === 'execute') return execute
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  /** Stops the programs that run. */
  stopPrograms(): void {
    for (const running of this.#running) running.abort()
  }
}
