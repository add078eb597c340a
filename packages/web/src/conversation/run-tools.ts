import type { CodeExecutor, HostToolOptions } from '@fenced/core'

/** The tools that the programs of an executor can call; `undefined` where its programs cannot call any. */
export function toolsOfRun(
  { tools, toolLimits }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: CodeExecutor,
): HostToolOptions | undefined {
  return tools === undefined || toolLanguages.length === 0 ? undefined : { tools, toolLimits }
}

/** For a person who decides about a program: the names of the tools that it can call. */
export function toolNames(
  options: HostToolOptions,
  executor: CodeExecutor,
): { readonly tools?: readonly string[] } {
  const { tools } = toolsOfRun(options, executor) ?? {}
  return tools === undefined ? {} : { tools: Object.keys(tools) }
}
