import type { CodeExecutor } from '@fenced/core'
import { StartProgress } from './start-progress.ts'

/** Makes a place ready. How that goes is shown on standard error: standard output may go into a file. */
export async function startPlace(executor: CodeExecutor, signal: AbortSignal): Promise<void> {
  using progress = new StartProgress(process.stderr)
  await executor.start({ signal, onNotice: (notice) => progress.take(notice) })
}
