import { FencedError } from '@fenced/core'
import { problemOfVariable } from '@fenced/core/internal'

export function invalidArgument(message: string, data?: Readonly<Record<string, string>>): FencedError {
  return new FencedError({ code: 'SANDBOX_INVALID_ARGUMENT', message, data })
}

/** @throws FencedError `SANDBOX_INVALID_ARGUMENT` for variables that a command would not get unchanged. */
export function checkVariables(env: Readonly<Record<string, string>>): void {
  for (const [variable, value] of Object.entries(env)) {
    const problem = problemOfVariable(variable, value)
    if (problem !== undefined)
      throw invalidArgument(`The variable ${JSON.stringify(variable)} ${problem}.`, { variable })
  }
}

export function notAFile(path: string): FencedError {
  const message = `${JSON.stringify(path)} in the sandbox is not a regular file. Pass the path of a regular file.`
  return new FencedError({ code: 'SANDBOX_NOT_A_FILE', message, data: { path } })
}

export function notADirectory(path: string): FencedError {
  const message = `${JSON.stringify(path)} in the sandbox is not a directory. Pass the path of a directory.`
  return new FencedError({ code: 'SANDBOX_NOT_A_DIRECTORY', message, data: { path } })
}

export function fileFailed(doing: string, path: string, why: string): FencedError {
  const reason = why.trim()
  const message = `${doing} ${JSON.stringify(path)} in the sandbox failed: ${reason || 'no reason was given'}`
  return new FencedError({ code: 'SANDBOX_FILE_FAILED', message, data: { path, reason } })
}
