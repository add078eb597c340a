import type { StreamName } from '@fenced/core/driver'
import { hideSecrets, hideUsers } from '@fenced/core/internal'
import type { ThrottledNotices } from '../throttled-notices.ts'

/** How many lines of a stream are kept for the error of an installation that fails. */
const keptLines = 20

/** How much is kept of a line, in characters: a package that is built may write one without end. */
const keptOfLine = 4_096

/** What a person may want to see while they wait. */
const meaningful =
  /^\s*(Collecting |Downloading .*\d [kMG]B|Cloning |Building wheel for |Installing |Successfully installed )/

/** Follows what pip says. */
export class PipOutput {
  readonly #notices: ThrottledNotices
  readonly #installEnv: Readonly<Record<string, string>>
  readonly #streams: Readonly<
    Record<StreamName, { decoder: InstanceType<typeof TextDecoder>; rest: string; lines: string[] }>
  > = {
    stdout: { decoder: new TextDecoder(), rest: '', lines: [] },
    stderr: { decoder: new TextDecoder(), rest: '', lines: [] },
  }

  constructor(notices: ThrottledNotices, installEnv: Readonly<Record<string, string>>) {
    this.#notices = notices
    this.#installEnv = installEnv
  }

  take(name: StreamName, chunk: Uint8Array): void {
    const stream = this.#streams[name]
    const lines = (stream.rest + stream.decoder.decode(chunk, { stream: true })).split('\n')
    stream.rest = this.#endOf(lines.pop() ?? '')
    for (const line of lines) {
      const shown = this.#hidden(line.trimEnd()).slice(-keptOfLine)
      stream.lines.push(shown)
      if (stream.lines.length > keptLines) stream.lines.shift()
      if (meaningful.test(shown)) this.#notices.say(shown.trim(), { output: shown.trim() })
    }
  }

  /** Nothing of a secret is left at the cut: there, all of it has come. */
  #endOf(line: string): string {
    if (line.length <= 2 * keptOfLine) return line
    return this.#hidden(line).slice(-keptOfLine)
  }

  #hidden(line: string): string {
    return hideUsers(hideSecrets(line, this.#installEnv))
  }

  /** Why it failed, in pip's own words: it writes that to stderr. */
  get tail(): string {
    const { stdout, stderr } = this.#streams
    const said = [stderr, stdout].map(({ lines, rest }) => [...lines, this.#hidden(rest)].join('\n').trim())
    return said.find((words) => words !== '') ?? ''
  }
}
