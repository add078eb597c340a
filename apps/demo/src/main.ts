import type { CodeExecutor } from '@fenced/core'
import { type Arguments, readArguments } from './arguments.ts'
import { bundledAnswer } from './bundled-answer.ts'
import { createExecutor, whatItMayUse, whereItRuns } from './place.ts'
import { type Answer, readAnswer } from './read-answer.ts'
import { failed, reportError } from './report-error.ts'
import { runAnswer } from './run-answer.ts'
import { Screen } from './screen.ts'
import { StartProgress } from './start-progress.ts'
import { listenForStop } from './stop-signals.ts'
import { workDirectory } from './work-directory.ts'

try {
  const args = readArguments(process.argv.slice(2))
  if (args !== undefined) process.exitCode = await demo(args)
} catch (error) {
  process.exitCode = reportError(error)
}

/** Runs an answer and returns the exit code: 0 only when all of its blocks ran well. */
async function demo({ file, timeoutMs, workDir, place }: Arguments): Promise<number> {
  // Until there is something to stop, Ctrl-C ends this process as it ends any other.
  const given = file === undefined ? undefined : await readAnswer(file)
  using stop = listenForStop(process.stdout)
  const { signal } = stop
  await using directory = await workDirectory(workDir)
  await using executor = createExecutor(place, { timeoutMs, workDir: directory.path })
  // A place that cannot be had is said before a plan that it could not keep.
  await start(executor, signal)
  const answer: Answer & { remark?: string } = given ?? (await bundledAnswer(executor, signal))
  const screen = new Screen(process.stdout)
  const { capabilities } = executor
  screen.plan({
    ...answer,
    where: whereItRuns(place, capabilities),
    workDir: executor.workDir,
    timeoutMs,
    mayUse: whatItMayUse(capabilities),
  })
  const result = await runAnswer(answer, { executor, screen, signal })
  screen.summary(result, answer.blocks, executor.workDir)
  return stop.exitCode ?? (result.status === 'ok' ? 0 : failed)
}

/** Standard output is for the answer, and may go into a file. */
async function start(executor: CodeExecutor, signal: AbortSignal): Promise<void> {
  using progress = new StartProgress(process.stderr)
  await executor.start({ signal, onNotice: (notice) => progress.take(notice) })
}
