import { asText, type FieldValue, readFields } from './protobuf.ts'

/** What BuildKit tells about one of the steps, each known by its digest. */
interface BuildkitStep {
  readonly digest: string
  readonly name: string
  readonly hasBegun: boolean
  readonly isCached: boolean
  /** Empty when it did not fail. */
  readonly error: string
}

/** A piece of what a step's program wrote. */
interface BuildkitOutput {
  readonly digest: string
  readonly text: string
}

/** One report of BuildKit's. */
export interface BuildkitStatus {
  readonly steps: readonly BuildkitStep[]
  readonly output: readonly BuildkitOutput[]
}

/**
 * Reads a `StatusResponse` (moby/buildkit, api/services/control/control.proto): vertexes are field 1, logs field 3.
 * dockerode's own reader gives programs' output in base64.
 */
export function readBuildkitStatus(base64: string): BuildkitStatus {
  const fields = [...readFields(Buffer.from(base64, 'base64'))]
  const parts = (wanted: number) =>
    fields.filter(([field]) => field === wanted).map(([, value]) => new Map(readFields(value as Uint8Array)))
  return { steps: parts(1).map(readStep), output: parts(3).map(readOutput) }
}

function readStep(vertex: ReadonlyMap<number, FieldValue>): BuildkitStep {
  return {
    digest: asText(vertex.get(1)),
    name: asText(vertex.get(3)),
    isCached: vertex.get(4) === 1,
    hasBegun: vertex.has(5),
    error: asText(vertex.get(7)),
  }
}

function readOutput(log: ReadonlyMap<number, FieldValue>): BuildkitOutput {
  return { digest: asText(log.get(1)), text: asText(log.get(4)) }
}
