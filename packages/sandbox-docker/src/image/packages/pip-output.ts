import type { StreamName } from '@fenced/core/driver'
import { hideSecrets, hideUsers } from '@fenced/shared'
import type { ThrottledNotices } from '../throttled-notices.ts'

/** How many lines of a stream are kept for the error of an installation that fails. */
const keptLines = 20

/** How much is kept of a line, in characters: a package that is built may write one without end. */
const keptOfLine = 4_096

/** Lines that begin a package, of which there can be a hundred. */
const beginOfPackage = /^\s*Collecting /
/** What a person may want to see while they wait. */
const progress = /^\s*(Collecting |Downloading .*\d [kMG]B|Cloning |Building wheel for )/
const lastSteps = /^\s*(Installing |Successfully installed )/

/** Follows what pip says. */
export class PipOutput {
  readonly #notices: ThrottledNotices
  readonly #installEnv: Readonly<Record<string, string>>
  #packages = 0
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
      this.#tell(shown.trim())
    }
  }

  #tell(line: string): void {
    const isPackage = beginOfPackage.test(line)
    if (isPackage) this.#packages++
    const message = () => `${line} (package ${this.#packages} so far)`
    const data = () => ({ output: line, count: String(this.#packages) })
    if (isPackage && this.#packages === 1) this.#notices.say(message(), data())
    else if (progress.test(line)) this.#notices.mention(message, data)
    else if (lastSteps.test(line)) this.#notices.say(line, { output: line })
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
