import { isAbortSignal } from '@fenced/shared'
import { askOptionsShape } from '../../approval/ask-options.ts'
import { parseOptions } from '../../options/parse-options.ts'
import type { HostTool } from '../../vocabulary/host-tool.ts'
import { z } from '../../zod.ts'
import { timeoutMsSchema } from '../options.ts'

/** See {@link HostToolOptions}. */
export const hostToolOptionsShape = {
  // A record of zod refuses a tool with the name `constructor`, and leaves `__proto__` out without a word.
  tools: z
    .custom<Readonly<Record<string, HostTool>>>(isPlainObject, 'must be an object')
    .superRefine(checkTools)
    .optional(),
  toolLimits: z
    .strictObject({
      maxCalls: z.int().min(0).default(1_000),
      maxCallsInFlight: z.int().min(1).default(16),
      maxBytes: z
        .int()
        .min(1)
        .max(2 ** 26)
        .default(4 * 2 ** 20),
      callTimeoutMs: timeoutMsSchema.default(60_000),
    })
    .prefault({}),
}

const optionsSchema = z.strictObject({
  signal: z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional(),
  timeoutMs: timeoutMsSchema.optional(),
  maxWaitMs: timeoutMsSchema.optional(),
  ...askOptionsShape,
  ...hostToolOptionsShape,
})

export function checkExecuteOptions(options: unknown): z.output<typeof optionsSchema> {
  return parseOptions(optionsSchema, options, 'execute()')
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkTools(tools: Readonly<Record<string, HostTool>>, { addIssue }: z.RefinementCtx): void {
  const wrong = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message })
  for (const [name, tool] of isPlainObject(tools) ? Object.entries(tools) : []) {
    if (name === '__proto__') wrong(name, 'cannot be the name of a tool')
    if (!isTool(tool)) wrong(name, 'must be a function, or a tool with `execute`')
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isTool(value: unknown): boolean {
  return isFunction(value) || (typeof value === 'object' && value !== null && 'execute' in value)
}
