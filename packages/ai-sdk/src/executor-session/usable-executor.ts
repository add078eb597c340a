import { resolve } from 'node:path'
import { type CodeExecutor, FencedError } from '@fenced/core'

/** The working directory, on this machine, of an executor that a sandbox session can use. */
export function usableWorkDir({ name, capabilities, workDir }: CodeExecutor): string {
  const { languages, stateful } = capabilities
  if (stateful || !languages.includes('sh')) {
    const fault = stateful
      ? 'keeps the state of its blocks'
      : `runs ${languages.join(', ') || 'no language'} only`
    throw new FencedError({
      code: 'SANDBOX_NEEDS_SHELL',
      message: `A sandbox session runs each command as an sh block in a separate process, but the executor "${name}" ${fault}. ${advice}`,
      data: { executor: name, languages: languages.join(', ') },
    })
  }
  if (workDir !== undefined && workDir !== '') return workDir
  throw new FencedError({
    code: 'SANDBOX_NEEDS_DIRECTORY',
    message: `A sandbox session needs a working directory for files, but the executor "${name}" has none on this machine. ${advice}`,
    data: { executor: name },
  })
}

/** Stops the executor and rejects if it cannot run in parallel with the session's executor. */
export async function checkBeside(beside: CodeExecutor, workDir: string): Promise<void> {
  try {
    const other = usableWorkDir(beside)
    if (resolve(other) === resolve(workDir)) return
    throw new FencedError({
      code: 'SANDBOX_OTHER_DIRECTORY',
      message: `\`createExecutor\` returned an executor in ${other}, but the session's executor is in ${workDir}. Give it the same \`workDir\`.`,
      data: { path: other, expected: workDir },
    })
  } catch (error) {
    await beside.stop()
    throw error
  }
}

const advice = 'Use an executor from @fenced/executor-local or @fenced/executor-docker.'
