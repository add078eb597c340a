import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { type Arguments, readArguments } from './arguments.ts'
import { bundledAnswer } from './bundled-answer.ts'
import { type Answer, readAnswer } from './read-answer.ts'
import { runAnswer } from './run-answer.ts'
import { Screen } from './screen.ts'
import { listenForStop } from './stop-signals.ts'
import { UserError } from './user-error.ts'
import { workDirectory } from './work-directory.ts'

/** The arguments or the input were wrong, as `grep` and many others report it. */
const usageError = 2

/** What the code or its place did wrong. */
const failed = 1

/** What a wrong option leads to, although only the executor can tell. */
const usageCodes = ['WORK_DIR_UNUSABLE', 'ISOLATION_UNAVAILABLE', 'INVALID_OPTIONS']

const whereItRuns = {
  none: 'on this machine, not isolated: the code can do what you can do',
  bubblewrap: 'on this machine, in a bubblewrap sandbox without network',
}

try {
  const args = readArguments(process.argv.slice(2))
  if (args !== undefined) process.exitCode = await demo(args)
} catch (error) {
  if (!(error instanceof UserError || FencedError.isInstance(error))) throw error
  process.stderr.write(`demo: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  process.exitCode = error instanceof UserError || usageCodes.includes(error.code) ? usageError : failed
}

/** Runs an answer and returns the exit code: 0 only when all of its blocks ran well. */
async function demo({ file, timeoutMs, workDir, isolation }: Arguments): Promise<number> {
  // Until there is something to stop, Ctrl-C ends this process as it ends any other.
  const given = file === undefined ? undefined : await readAnswer(file)
  using stop = listenForStop(process.stdout)
  const { signal } = stop
  await using directory = await workDirectory(workDir)
  await using executor = new LocalCommandLineCodeExecutor({ timeoutMs, isolation, workDir: directory.path })
  // A place that cannot be had is said before a plan that it could not keep.
  await executor.start()
  const answer: Answer & { remark?: string } = given ?? (await bundledAnswer(executor, signal))
  const screen = new Screen(process.stdout)
  screen.plan({ ...answer, where: whereItRuns[isolation], workDir: executor.workDir, timeoutMs })
  const result = await runAnswer(answer, { executor, screen, signal })
  screen.summary(result, answer.blocks, executor.workDir)
  return stop.exitCode ?? (result.status === 'ok' ? 0 : failed)
}
