import type { Setup } from './executors.ts'

/** One line of the table. */
export interface Row {
  /** The name of the soak. */
  readonly soak: string
  /** What was tried: an executor, and how. */
  readonly tried: string
  /** What was seen, by the titles of the columns. */
  readonly figures: Readonly<Record<string, number | string>>
  /** Whether all of it is as promised; absent when it could not be tried here. */
  readonly asPromised?: boolean
  /** What was not as promised, or why it could not be tried. */
  readonly note?: string
}

export interface SoakOptions {
  /** How much is tried, instead of the soak's own number. */
  readonly rounds: number | undefined
  /** Whether a small part of it is enough. */
  readonly short: boolean
  /** What random choices begin with. */
  readonly seed: number
  /** The executors to be tried; all when it is empty. */
  readonly executors: readonly string[]
  readonly setup: Setup
}

/** Runs an experiment, and yields a row for each result at once. */
export type Soak = (options: SoakOptions) => AsyncIterable<Row>
