import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { LocalSandbox } from '@fenced/sandbox-local'
import { toSandboxSession } from '../../src/index.ts'

/** Reads a file of 2 GB with two lines at its beginning in every way, and prints what came of it. */
const code = async (reading: PromiseLike<unknown>) => {
  try {
    return await reading
  } catch (error) {
    return (error as { code?: string }).code
  }
}

const results: unknown[] = []
await using sandbox = new LocalSandbox()
await sandbox.start()
await using executor = new LocalCommandLineCodeExecutor({ ask: () => 'allow' })
await executor.start()
for (const session of [toSandboxSession(sandbox), toSandboxSession(executor)]) {
  const path = 'large'
  await session.run({ command: `printf 'one\\ntwo\\n' > ${path}; truncate -s 2G ${path}` })
  results.push([
    await code(session.readTextFile({ path, startLine: 1, endLine: 2 })),
    await code(session.readTextFile({ path, startLine: 2 })),
    await code(session.readTextFile({ path })),
    await code(session.readBinaryFile({ path })),
  ])
}
process.stdout.write(JSON.stringify(results))
