import type { ExecutionEvent, Isolation, NetworkAccess } from '@fenced/core'
import { z } from '@fenced/core/zod'

/** Version of the event format. It increases with incompatible changes, but not with new event types or fields. */
export const runEventVersion = 1

/**
 * A line printed by `fenced run --json`. The first line reports where code runs; the events of the execution follow, ending with
 * its result.
 */
export type RunEvent =
  | {
      readonly type: 'run-start'
      readonly version: typeof runEventVersion
      readonly executor: string
      readonly isolation: Isolation
      readonly network: NetworkAccess
      /** Who chose where code runs (the options, `--executor auto`, or a person), and the reason as a sentence. */
      readonly chosen: { readonly by: 'options' | 'auto' | 'person'; readonly reason: string }
    }
  | ExecutionEvent

const block = z.looseObject({ language: z.string(), code: z.string() })
const file = z.looseObject({
  path: z.string(),
  absolutePath: z.string().optional(),
  sizeBytes: z.int(),
  change: z.enum(['created', 'changed']),
})
const notice = z.looseObject({
  code: z.string(),
  message: z.string(),
  data: z.record(z.string(), z.string()).optional(),
})
const connection = z.looseObject({
  id: z.string(),
  host: z.string(),
  port: z.int(),
  verdict: z.enum(['allowed', 'refused', 'failed']),
  reason: z.string().optional(),
  bytesSent: z.number(),
  bytesReceived: z.number(),
  durationMs: z.number(),
})
const mimeBundle = z.record(z.string(), z.unknown())
const index = z.int().min(0)
const text = z.string()

const blockResult = z.looseObject({
  block,
  status: z.string(),
  exitCode: z.int(),
  output: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  results: z.array(mimeBundle),
  file: z.string().optional(),
  files: z.array(file),
  notices: z.array(notice),
  connections: z.array(connection).optional(),
  usage: z
    .looseObject({
      cpuMs: z.number().optional(),
      peakMemoryBytes: z.number().optional(),
      bytesSent: z.number().optional(),
      bytesReceived: z.number().optional(),
    })
    .optional(),
  durationMs: z.number(),
})

/**
 * Schema for the lines printed by `fenced run --json`. Later versions of this package may add fields and line types. Unknown
 * fields are kept. Parse each line with `safeParse`, and skip it if the result has no `data`, because its `type` is then unknown.
 */
export const runEventSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('run-start'),
    version: z.literal(runEventVersion),
    executor: z.string(),
    isolation: z.enum(['none', 'bubblewrap', 'container', 'vm']),
    network: z.enum(['none', 'list', 'open']),
    chosen: z.looseObject({ by: z.enum(['options', 'auto', 'person']), reason: z.string() }).optional(),
  }),
  z.looseObject({
    type: z.literal('approval-requested'),
    request: z.looseObject({ id: z.string(), kind: z.string(), question: z.string() }),
  }),
  z.looseObject({
    type: z.literal('approval-answered'),
    id: z.string(),
    answer: z.looseObject({
      decision: z.enum(['allow', 'deny', 'edit', 'answer']),
      reason: z.string().optional(),
    }),
    remembered: z.boolean(),
  }),
  z.looseObject({ type: z.literal('approval-withdrawn'), id: z.string() }),
  z.looseObject({ type: z.literal('block-start'), index, block }),
  z.looseObject({ type: z.literal('stdout'), index, text }),
  z.looseObject({ type: z.literal('stderr'), index, text }),
  z.looseObject({
    type: z.literal('result'),
    index,
    result: mimeBundle,
    displayId: z.string().optional(),
    metadata: mimeBundle.optional(),
    executionCount: z.int().optional(),
    isUpdate: z.literal(true).optional(),
  }),
  z.looseObject({ type: z.literal('clear'), index }),
  z.looseObject({ type: z.literal('notice'), index: index.optional(), notice }),
  z.looseObject({ type: z.literal('connection'), index, connection }),
  z.looseObject({ type: z.literal('file'), index, file }),
  z.looseObject({ type: z.literal('block-end'), index, result: blockResult }),
  z.looseObject({
    type: z.literal('execution-end'),
    result: z.looseObject({
      status: z.string(),
      exitCode: z.int(),
      output: z.string(),
      blocks: z.array(blockResult),
      files: z.array(file),
      durationMs: z.number(),
    }),
  }),
])
