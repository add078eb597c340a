import type { EngineEvent } from '../engine-events.ts'

interface Layer {
  isDone: boolean
  current: number
  total: number
}

/** How far a pull has come. */
export class PullProgress {
  readonly #layers = new Map<string, Layer>()

  /** Whether no layer had to be looked at. */
  get isEmpty(): boolean {
    return this.#layers.size === 0
  }

  /** @returns whether the event was about a layer. */
  take({ id, status = '', progressDetail = {} }: EngineEvent): boolean {
    // This one bears the tag as its id.
    if (id === undefined || status.startsWith('Pulling from')) return false
    const layer = this.#layers.get(id) ?? { isDone: false, current: 0, total: 0 }
    this.#layers.set(id, layer)
    const { current = 0, total = 0 } = progressDetail
    if (status === 'Downloading') Object.assign(layer, { current, total: Math.max(total, current) })
    if (status === 'Download complete') layer.current = layer.total
    layer.isDone = status === 'Pull complete' || status === 'Already exists'
    return true
  }

  /** The same for programs, in bytes; empty where no layer had to be looked at. */
  get data(): Readonly<Record<string, string>> {
    if (this.isEmpty) return {}
    const { count, done, current, total } = this.#sums()
    return { layers: `${count}`, layersDone: `${done}`, bytes: `${current}`, bytesTotal: `${total}` }
  }

  #sums() {
    const layers = [...this.#layers.values()]
    return {
      count: layers.length,
      done: layers.filter(({ isDone }) => isDone).length,
      current: layers.reduce((sum, layer) => sum + layer.current, 0),
      total: layers.reduce((sum, layer) => sum + layer.total, 0),
    }
  }

  /** `2 of 5 layers, 12.3 of 45.6 MB (26%)`; sizes of layers are known when their turn comes. */
  toString(): string {
    const { count: all, done, current, total } = this.#sums()
    const count = `${done} of ${all} layers`
    if (total === 0) return count
    return `${count}, ${inMegabytes(current)} of ${inMegabytes(total)} MB (${Math.floor((100 * current) / total)}%)`
  }
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
