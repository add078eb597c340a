import type { CodeExecutor } from '@fenced/core'
import { StartProgress } from './start-progress.ts'

/** Starts an executor. How that goes is shown on standard error: standard output may go into a file. */
export async function startExecutor(executor: CodeExecutor, signal: AbortSignal): Promise<void> {
  using progress = new StartProgress(process.stderr)
  await executor.start({ signal, onNotice: (notice) => progress.take(notice) })
}
