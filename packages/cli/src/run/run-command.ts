import { executeStream } from '@fenced/core'
import { createExecutor, type PlaceOptions } from '../place.ts'
import { readText } from '../read-text.ts'
import { listenForStop } from '../stop-signals.ts'
import { LinePrinter } from './line-printer.ts'
import { OutputPrinter } from './output-printer.ts'

export interface RunOptions extends PlaceOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly reasoning: boolean
}

/** Runs the code blocks of a text as they come. @returns the exit code of the block that ended it, or of who did. */
export async function run(path: string, options: RunOptions): Promise<number> {
  using stop = listenForStop()
  const executor = await createExecutor(options)
  const printer = options.json
    ? new LinePrinter()
    : new OutputPrinter({ isQuiet: options.quiet, keepsFiles: options.workDir !== undefined })
  try {
    const execution = executeStream(executor, readText(path), {
      signal: stop.signal,
      startsInReasoning: options.reasoning,
    })
    printer.begin(executor)
    for await (const event of execution) await printer.print(event)
    const { exitCode } = await execution
    return stop.exitCode ?? exitCode
  } finally {
    await executor.stop()
  }
}
