import { errorMessage, FencedError } from '@fenced/errors'
import type { CodeExecutor } from '../code-executor.ts'
import type { HostToolCallOptions, HostToolObject, HostTools } from '../vocabulary/host-tool.ts'
import { pythonName } from './python-names.ts'
import { pythonFunctions } from './python-stubs.ts'
import { type ReadyTool, toolSchema } from './tool-schema.ts'
import { javascriptName } from './typescript-stubs.ts'

/** The tools of one call of `execute`. */
export class ToolSet {
  readonly tools: readonly ReadyTool[]
  /** By their names, and by those that programs of JavaScript may give them. */
  readonly #named: ReadonlyMap<unknown, ReadyTool>
  #functions: string | undefined

  /** @throws FencedError `INVALID_OPTIONS`. */
  static of(tools: HostTools): ToolSet {
    const ready = Object.entries(tools).map(([name, tool]) => readyTool(name, tool))
    const names = new Map<string, string>()
    for (const { name, pythonName } of ready) {
      const other = names.get(pythonName)
      if (other !== undefined)
        throw wrongTool(name, `a program would call it as ${other}: ${pythonName}`, { other, pythonName })
      names.set(pythonName, name)
    }
    return new ToolSet(ready)
  }

  private constructor(tools: readonly ReadyTool[]) {
    this.tools = tools
    const inJavascript = tools.map((tool) => [javascriptName(tool.name), tool] as const)
    this.#named = new Map([...inJavascript, ...tools.map((tool) => [tool.name, tool] as const)])
  }

  /** See {@link pythonFunctions}. */
  get pythonFunctions(): string {
    this.#functions ??= pythonFunctions(this.tools)
    return this.#functions
  }

  find(name: unknown): ReadyTool | undefined {
    return this.#named.get(name)
  }
}

/** @throws FencedError `TOOLS_UNSUPPORTED` where no program of an executor can call tools. */
export function requireToolLanguages({
  name,
  capabilities,
}: Pick<CodeExecutor, 'name' | 'capabilities'>): void {
  if ((capabilities.toolLanguages ?? []).length > 0) return
  throw new FencedError({
    code: 'TOOLS_UNSUPPORTED',
    message: `Programs in the executor "${name}" cannot call tools on the host. Omit \`tools\`, or choose an executor with \`capabilities.toolLanguages\`, such as an executor for local processes or containers.`,
    data: { executor: name },
  })
}

function readyTool(name: string, given: HostTools[string]): ReadyTool {
  const tool: HostToolObject = typeof given === 'function' ? { execute: given } : given
  const { execute, inputSchema, outputSchema, needsApproval } = tool
  if (typeof execute !== 'function')
    throw wrongTool(name, 'it has no `execute`, so this process cannot run it')
  try {
    const input = toolSchema(inputSchema, 'input')
    const output = toolSchema(outputSchema, 'output')
    const run = (value: unknown, options: HostToolCallOptions) =>
      execute.call(tool, value as never, options as never)
    const description = typeof tool.description === 'string' ? tool.description : undefined
    const called = { name, pythonName: pythonName(name), description }
    return { ...called, input, output, execute: run, needsApproval }
  } catch (cause) {
    const reason = errorMessage(cause)
    throw wrongTool(name, `its schema cannot be read: ${reason}`, { reason })
  }
}

function wrongTool(name: string, why: string, data: Readonly<Record<string, string>> = {}): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `The tool ${JSON.stringify(name)}: ${why}.`,
    data: { tool: name, ...data },
  })
}
