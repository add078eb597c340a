import type { BlockResult, CodeExecutor, ExecuteOptions, HostTools } from '@fenced/core'

interface RunOptions extends ExecuteOptions {
  readonly tools: HostTools
  /** Default: the language of the chapter. */
  readonly language?: string
}

/** Context of a row. */
export interface HostToolContext {
  readonly executor: CodeExecutor
  /** Runs a program with tools and returns the result of its block. A Python program has imported `tools` in its first line. */
  readonly run: (
    options: RunOptions,
  ) => (program: TemplateStringsArray, ...values: readonly string[]) => Promise<BlockResult>
}

/** One sentence of the contract of host tools. */
export interface HostToolRow {
  readonly name: string
  readonly check: (context: HostToolContext) => Promise<void>
}

/** Returns its input. */
export const echo = { echo: (input: Readonly<Record<string, unknown>>) => input }

/** @param ofChapter - Language of the programs. */
export function hostToolContext(executor: CodeExecutor, ofChapter: string): HostToolContext {
  return {
    executor,
    run:
      ({ language = ofChapter, ...options }) =>
      async (program, ...values) => {
        const text = String.raw(program, ...values).replace(/^\n/, '')
        const code = language === 'python' ? `import tools\n${text}` : text
        const { blocks } = await executor.execute([{ language, code }], options)
        const [block] = blocks
        if (block === undefined) throw new Error('No block was run.')
        return block
      },
  }
}
