import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { type Arguments, readArguments } from './arguments.ts'
import { bundledAnswer } from './bundled-answer.ts'
import { type Answer, fromWhereTyped, readAnswer } from './read-answer.ts'
import { runAnswer } from './run-answer.ts'
import { Screen } from './screen.ts'
import { listenForStop } from './stop-signals.ts'
import { UserError } from './user-error.ts'

/** The arguments or the input were wrong, as `grep` and many others report it. */
const usageError = 2

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
  process.exitCode = usageError
}

/** Runs an answer and returns the exit code: 0 only when all of its blocks ran well. */
async function demo({ file, timeoutMs, workDir, isolation }: Arguments): Promise<number> {
  using stop = listenForStop(process.stdout)
  const given = file === undefined ? undefined : await readAnswer(file)
  await using executor = new LocalCommandLineCodeExecutor({
    timeoutMs,
    isolation,
    workDir: workDir === undefined ? await lastingDirectory() : fromWhereTyped(workDir),
  })
  const answer: Answer & { remark?: string } = given ?? (await bundledAnswer(executor))
  const screen = new Screen((text) => stop.exitCode !== 141 && process.stdout.write(text))
  screen.plan({
    ...answer,
    remark: answer.remark,
    where: whereItRuns[isolation],
    workDir: executor.workDir,
    timeoutMs,
  })
  const result = await runAnswer(answer, { executor, screen, signal: stop.signal })
  screen.summary(result, answer.blocks)
  return stop.exitCode ?? (result.status === 'ok' ? 0 : 1)
}

/** The executor's own temporary directory would go with it; what the code made is worth a look. */
function lastingDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'fenced-demo-'))
}
