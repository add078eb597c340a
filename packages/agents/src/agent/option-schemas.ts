import type { Approve, Approver, ApproveTool, CodeExecutor } from '@fenced/core'
import { toolPicturesSchema } from '@fenced/core/tool'
import type { LanguageModel, ToolSet } from 'ai'
import { z } from 'zod'
import type { ModelOptions } from '../model/model-request.ts'
import type { SandboxSession } from '../tool/sandbox.ts'

/** A kind of executors that a package has registered, and the options for one of them. */
export interface NamedExecutor {
  readonly name: string
  readonly options?: Readonly<Record<string, unknown>> | undefined
}

export const isFunction = (value: unknown): boolean => typeof value === 'function'

/** Whether a value is an object with a method. */
export const hasMethod = (name: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && isFunction((value as Record<string, unknown>)[name])

export const executorSchema = z.union(
  [
    z.string().min(1),
    z.custom<CodeExecutor>(hasMethod('execute')),
    z.strictObject({ name: z.string().min(1), options: z.record(z.string(), z.unknown()).optional() }),
  ],
  { error: 'must be a CodeExecutor, the name of a registered one, or { name, options }' },
)

/** Who decides whether code may be run. */
export const approveSchema = z.custom<Approve | Approver>(
  (value) => isFunction(value) || hasMethod('approve')(value),
  'must be a function, or have a method `approve`',
)

/** Whether a value is a model of the AI SDK: an id, or an object that answers in a stream or at once. */
export const isModel = (value: unknown): value is LanguageModel =>
  (typeof value === 'string' && value !== '') ||
  hasMethod('doStream')(value) ||
  hasMethod('doGenerate')(value)

const oneModelSchema = z.custom<LanguageModel>(isModel, 'must be a language model of the AI SDK')

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const price = z.number().min(0)

/** What says which models are asked, and how. */
export const modelOptionsShape = {
  model: z.union([oneModelSchema, z.array(oneModelSchema).min(1)]).optional(),
  pictures: toolPicturesSchema,
  tools: z.custom<ToolSet>(isRecord, 'must be an object with tools by their names').optional(),
  approveTool: z.custom<ApproveTool>(isFunction, 'must be a function').optional(),
  maxToolIterations: z.int().min(1).default(20),
  sandbox: z.custom<SandboxSession>(hasMethod('run'), 'must be a sandbox session of the AI SDK').optional(),
  modelOptions: z
    .custom<ModelOptions>((value) => typeof value === 'object' && value !== null, 'must be an object')
    .optional(),
  prices: z
    .record(
      z.string(),
      z.strictObject({
        inputPerMillion: price,
        outputPerMillion: price,
        cacheReadPerMillion: price.optional(),
        cacheWritePerMillion: price.optional(),
      }),
    )
    .optional(),
} as const
