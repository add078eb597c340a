import type { ExecOptions } from '@fenced/core/sandbox'

/** Reads the lines of a script, as `scriptLines` writes them, and says a line. At the end of stdin it exits. */
const readScript = (exitCode: number) => `script=
while IFS= read -r line || exit ${exitCode}; do
  case $line in x*) script="$script\${line#x}
" ;; *) break ;; esac
done
echo
`

/**
 * What every exec starts. A pod is asked to run a command by an address, which the cluster's logs keep, and which a server on
 * the way may cut off; so the command itself, its variables and its directory come through stdin, a line each with `x` in
 * front and a last line without. It says that it waits, which an API server does not know when it opens a connection; then that
 * it has all of the command; and begins with it at one more line. So it is known for every command whether it began.
 */
export const bootScript = `echo
${readScript(97)}IFS= read -r line || exit 97
eval "$script"`

/** Runs one script after the other in one exec, each in a subshell. */
export const serveScript = `while :; do
${readScript(0)}(eval "$script")
done`

/** What cannot be removed is left. Arguments: mark, directory, names. */
export const removeScript = `mark=$1
cd -- "$2" && shift 2 && rm -rf -- "$@"
printf '%s000' "$mark"`

/** The last line that is written before the command's own stdin. */
export const goLine = '.\n'

/** What is written to the stdin of {@link bootScript}. */
export function bootInput(
  command: readonly string[],
  { cwd, env, stdin, processLimit }: Pick<ExecOptions, 'cwd' | 'env' | 'stdin'> & ScriptLimits,
): string {
  const variables = Object.entries(env).map((pair) => pair.join('='))
  const words = ['env', ...variables, '/bin/sh', '-c', 'exec "$@"', 'sh', ...command]
  const lines = [
    `cd -- ${quoted(cwd)} || exit 126`,
    'PATH=$PATH:$HOME/.local/bin',
    ...(processLimit === undefined ? [] : [limiting(processLimit)]),
    `exec ${words.map(quoted).join(' ')}${stdin ? '' : ' < /dev/null'}`,
  ]
  return scriptLines(lines.join('\n'))
}

/** Encodes a script for sending. */
export function scriptLines(script: string): string {
  const lines = script.split('\n').map((line) => `x${line}\n`)
  return `${lines.join('')}.\n`
}

/** What comes before a script, so that it has these arguments. */
export function withArguments(script: string, words: readonly string[]): string {
  return `set -- ${words.map(quoted).join(' ')}\n${script}`
}

interface ScriptLimits {
  /** How many processes the user of the pod may have. */
  readonly processLimit: number | undefined
}

/** A shell calls it by one letter or the other; the wrong one is refused, or means something that nothing here needs. */
const limiting = (count: number) =>
  `(ulimit -u ${count}) 2> /dev/null && ulimit -u ${count} || ulimit -p ${count} 2> /dev/null`

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
