import type { CodeExecutor, HostToolOptions } from '@fenced/core'
import { askable } from '@fenced/core/internal'

/** The tools that the programs of an executor can call; `undefined` where its programs cannot call any. */
export function toolsOfRun(
  { tools, toolLimits }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: Pick<CodeExecutor, 'capabilities'>,
): HostToolOptions | undefined {
  return tools === undefined || toolLanguages.length === 0 ? undefined : { tools, toolLimits }
}

/** An executor whose programs can call the tools of the page. */
export function hostedExecutor(given: CodeExecutor, options: HostToolOptions): CodeExecutor {
  // The question about the code names the tools, so the executor inside asks it.
  const inner = askable(given)
  const execute: CodeExecutor['execute'] = (blocks, call = {}) =>
    inner.execute(blocks, { ...toolsOfRun(options, inner), ...call })
  // All else is the executor's own, also what only Fenced knows of it.
  return new Proxy(inner, {
    get(target, key) {
      if (key === 'execute') return execute
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
