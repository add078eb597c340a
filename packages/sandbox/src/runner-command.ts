import { runner } from './embedded.ts'

/** The program of the resident Python. */
export const runnerSource = Buffer.from(runner)

/**
 * The command that starts a runner and then waits for its source on stdin: nothing but a Python need be there.
 *
 * @param python - the interpreter, as for a program's file.
 * @param preload - modules that are imported once, before the first program.
 * @param how - whether it is one runner, or the parent of one for each connection of this process.
 */
export function runnerCommand(
  python: readonly string[],
  preload: readonly string[],
  how: 'alone' | 'shared' = 'alone',
): string[] {
  // It leaves no name in `__main__`, and its own builtins are a copy, because programs may break theirs. It compiles
  // apart from running, because every fork would have to free the compiler's memory otherwise, and counts before that.
  const names = `{'__name__':'fenced_runner','__builtins__':vars(__builtins__).copy(),'counts_of_a_start':__import__('gc').get_count()}`
  const code = `compile(open(0,'rb',closefd=False).read(${runnerSource.length}),'fenced_runner','exec')`
  const loader = `exec(*[${names},${code}][::-1])`
  return [...python, '-c', loader, ...(how === 'shared' ? ['--shared', `${process.pid}`] : []), ...preload]
}
