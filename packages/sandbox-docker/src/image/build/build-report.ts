import { stripVTControlCharacters } from 'node:util'
import type { EngineEvent } from '../engine-events.ts'
import type { PacedNotices } from '../paced-notices.ts'
import { PullProgress } from '../pull/pull-progress.ts'
import { type BuildkitStatus, readBuildkitStatus } from './buildkit-status.ts'

/** How many lines are kept for the error of a build that fails. */
const keptLines = 40

/** What the classic builder and Podman's say between the output of the steps. */
const chatter = /^(?: ---> |--> |Removing intermediate container |Successfully (?:built|tagged) |$)/

/** Follows a build by either builder: tells its steps, and remembers what its end needs. */
export class BuildReport {
  /** The built image's id. */
  imageId: string | undefined
  /** Ids of images, whole or their beginnings, that steps took from an earlier or another build; not from BuildKit. */
  readonly reused = new Set<string>()
  /** Why the build failed, in the builder's words. */
  error: string | undefined
  /** The step that failed, or else the last that began. */
  step: string | undefined
  readonly #notices: PacedNotices
  readonly #lines: string[] = []
  /** The beginning of a line whose end has not come, by its step. */
  readonly #openLines = new Map<string, string>()
  /** Digests of BuildKit's steps that were told. */
  readonly #told = new Set<string>()
  readonly #baseImages = new PullProgress()
  /** Whether the id that comes next is one that is used again. */
  #isReusing = false

  constructor(notices: PacedNotices) {
    this.#notices = notices
  }

  take(event: EngineEvent): void {
    const { id, aux, stream, error } = event
    if (error !== undefined) this.error = error
    else if (id === 'moby.buildkit.trace') this.#takeStatus(readBuildkitStatus(String(aux)))
    else if (aux !== undefined) this.imageId = (aux as { ID?: string }).ID ?? this.imageId
    else if (stream !== undefined) this.#takeOutput('', stream)
    else if (this.#baseImages.take(event)) {
      this.#notices.mention(() => `Pulling base images: ${this.#baseImages}.`)
    }
  }

  /** The end of the steps' own output. */
  get lastLines(): string {
    return [...this.#lines, ...[...this.#openLines.values()].map(plain)]
      .filter((line) => line !== '')
      .slice(-keptLines)
      .join('\n')
  }

  #takeStatus({ steps, output }: BuildkitStatus): void {
    for (const { digest, name, hasBegun, isCached } of steps) {
      // What is its own doing is called "[internal] ...", or has no brackets.
      if (!/^\[(?!internal)/.test(name) || !hasBegun || this.#told.has(digest)) continue
      this.#told.add(digest)
      this.#begin(isCached ? `${name} (as before)` : name)
    }
    for (const { digest, text } of output) this.#takeOutput(digest, text)
    // Steps beside the one that failed are cancelled.
    const failed = steps.find(({ error }) => error !== '' && !error.includes('context canceled'))
    this.step = failed?.name ?? this.step
  }

  #takeOutput(step: string, text: string): void {
    const lines = `${this.#openLines.get(step) ?? ''}${text}`.split('\n')
    this.#openLines.set(step, lines.pop() ?? '')
    for (const line of lines) this.#takeLine(line)
  }

  #takeLine(raw: string): void {
    const line = plain(raw)
    const [, number, instruction] = /^Step (\d+\/\d+) ?: (.*)$/i.exec(line) ?? []
    this.#takeReused(line)
    if (number !== undefined) this.#begin(`[${number}] ${instruction}`)
    else if (!chatter.test(line)) {
      this.#lines.push(line)
      if (this.#lines.length > keptLines) this.#lines.shift()
      this.#notices.mention(() => line)
    }
  }

  /** Podman says the id in the same line, the classic builder in the next one. */
  #takeReused(line: string): void {
    const [, says, id] = /^ ?---?> (Using cache)? ?([0-9a-f]*)$/.exec(line) ?? []
    if (id && (says || this.#isReusing)) this.reused.add(id)
    this.#isReusing = says !== undefined && id === ''
  }

  #begin(step: string): void {
    this.step = step
    this.#notices.say(`Building: ${step}`)
  }
}

/** The classic builder colours stderr, and a progress bar writes over its own line. */
function plain(line: string): string {
  return stripVTControlCharacters(line).trimEnd().split('\r').pop() ?? ''
}
