import type { BlockUsage, ErrorFrame, MimeBundle } from '@fenced/core'
import type { BlockIo, RaisedError } from '@fenced/core/driver'
import { ShownResults } from './shown-results.ts'

/** How a cell ended. */
export type CellEnd =
  | DoneCell
  /** Python ended with it: its exit code, or minus a signal. */
  | { readonly kind: 'ended'; readonly status: number; readonly outOfMemory: boolean }
  /** The keeper of the session has ended, or does not answer. */
  | { readonly kind: 'lost' }

/** A cell whose end its session has reported. */
export interface DoneCell {
  readonly kind: 'done'
  readonly exitCode: number
  readonly error: RaisedError | undefined
  readonly usage: Pick<BlockUsage, 'cpuMs' | 'peakMemoryBytes'>
  /** Commands of processes that it started and that still run. */
  readonly running: readonly string[]
  /** Whether a process in the sandbox was killed for lack of memory. */
  readonly hadMemoryKill: boolean
  /** Whether the directory it was in had been removed, so that it ran in the working directory instead. */
  readonly hasMoved: boolean
  /** Whether the helper of the network has ended. */
  readonly hasLostNetwork: boolean
  /** Matplotlib's backend, if figures are open at the end. */
  readonly backend: string | undefined
}

/** What a session says of a cell. The program can forge it, so nothing in it is taken for granted. */
interface Report {
  readonly exit?: unknown
  readonly error?: { name?: unknown; message?: unknown; text?: unknown; traceback?: unknown }
  readonly cpu?: unknown
  readonly peak?: unknown
  readonly moved?: unknown
  readonly backend?: unknown
}

/** A cell while it runs. */
export class SessionCell {
  readonly io: BlockIo
  readonly ended: Promise<CellEnd>
  readonly #end: (end: CellEnd) => void
  readonly #path: string
  readonly #results: ShownResults

  constructor(io: BlockIo, path: string) {
    this.io = io
    this.#path = path
    this.#results = new ShownResults(io)
    const { promise, resolve } = Promise.withResolvers<CellEnd>()
    this.ended = promise
    this.#end = resolve
  }

  write(...output: Parameters<BlockIo['write']>): void | Promise<void> {
    this.#results.beforeOutput()
    return this.io.write(...output)
  }

  /** Takes a result. A promise is returned when the reader of the output is behind. */
  show(body: string): void | Promise<void> {
    const { kind, data, metadata, transient, count } = objectOf(body)
    if (kind === 'clear' || kind === 'clear-next') return this.#results.clear(kind === 'clear-next')
    return this.#results.show({
      data: Object(data) as MimeBundle,
      metadata,
      displayId: Object(transient).display_id,
      ...(kind === 'value' && typeof count === 'number' ? { executionCount: count } : {}),
      ...(kind === 'update' ? { isUpdate: true } : {}),
    })
  }

  /** Takes the reports of the program and of the keeper. */
  finish(body: string): void {
    const [own = '', keeper = ''] = body.split('\0')
    const report: Report = objectOf(own)
    const { running, oom, helper } = objectOf(keeper)
    this.endWith({
      kind: 'done',
      exitCode: typeof report.exit === 'number' ? report.exit & 0xff : 1,
      error: report.error === undefined ? undefined : this.#errorOf(report.error),
      usage: { cpuMs: numberOf(report.cpu) * 1_000, peakMemoryBytes: numberOf(report.peak) },
      running: Array.isArray(running) ? running.map(String) : [],
      hadMemoryKill: oom === true,
      hasMoved: report.moved === true,
      hasLostNetwork: helper === true,
      backend: typeof report.backend === 'string' ? report.backend : undefined,
    })
  }

  /** Takes the death of Python. */
  died(body: string): void {
    const { status, oom } = objectOf(body)
    this.endWith({ kind: 'ended', status: numberOf(status), outOfMemory: oom === true })
  }

  endWith(end: CellEnd): void {
    this.#end(end)
  }

  #errorOf({ name, message, text, traceback }: NonNullable<Report['error']>): RaisedError {
    const frames = Array.isArray(traceback) ? traceback.map((each) => this.#frameOf(Object(each))) : []
    return { name: String(name), message: String(message), text: String(text), traceback: frames }
  }

  /** A frame of the cell itself has no file, and gets the block's. */
  #frameOf({ file, line, code, function: name }: Record<string, unknown>): ErrorFrame {
    return {
      file: file === '' ? this.#path : String(file),
      line: numberOf(line),
      ...(typeof code === 'string' && code !== '' ? { code } : {}),
      ...(typeof name === 'string' ? { function: name } : {}),
    }
  }
}

/** Parses the JSON of a frame; an empty object for anything else. */
export function objectOf(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body)) as Record<string, unknown>
  } catch {
    return {}
  }
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
