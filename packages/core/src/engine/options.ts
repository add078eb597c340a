import { z } from 'zod'
import type { Language } from '../language/languages.ts'

/** The options that every executor has. */
export interface ExecutorOptions {
  /**
   * Time limit for each block, in milliseconds. It stands still while the program waits for people, up to `maxWaitMs` in total, and
   * while it waits for tools, up to `timeoutMs` in total. So a program ends after `2 × timeoutMs + maxWaitMs` at the latest; without
   * tools and questions after `timeoutMs`.
   *
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Total time for which a block may wait for people, in milliseconds: for answers of `approveTool`, `approveNetwork` and `answerInput`.
   * Meanwhile `timeoutMs` stands still. After that the open questions are withdrawn and the block ends with the status `timeout`. A
   * notice names the option.
   *
   * @default 600_000
   */
  readonly maxWaitMs?: number | undefined
  /**
   * Maximum bytes kept per stream of a block. The first and the last parts are kept.
   *
   * @default 1_048_576
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * Policy for a program that writes more: its middle is left out, or it is stopped.
   *
   * @default 'truncate'
   */
  readonly onOutputLimit?: 'truncate' | 'kill' | undefined
  /**
   * Values that are replaced by `[redacted]` in output, results and events, and in the texts of the block itself. Files
   * that the code makes, and their names, are not searched. Events of the two streams, and of two blocks, are searched apart.
   *
   * @default []
   */
  readonly redact?: readonly string[] | undefined
  /**
   * Languages in addition to the built-in ones; the same id replaces a built-in one.
   *
   * @default []
   */
  readonly languages?: readonly Language[] | undefined
  /**
   * Languages by id that are run (`true`) or only saved into the working directory (`false`), against the table.
   *
   * @default {}
   */
  readonly executionPolicies?: Readonly<Record<string, boolean>> | undefined
  /**
   * Whether the file of a program that names none is removed after its run. With `false` it stays, under a name of its
   * own that the result tells.
   *
   * @default true
   */
  readonly cleanupTempFiles?: boolean | undefined
  /**
   * Policy for a Python program that ends because it lacks a package. `report`: the result says how to get it. `install`:
   * the package is installed, and the program runs again from its beginning, so that it repeats its earlier effects. A
   * program that has changed files does not run again. Only packages among `installablePackages` are installed. The
   * installation time counts towards no limit.
   *
   * @default 'report'
   */
  readonly missingPackages?: 'report' | 'install' | undefined
  /**
   * Packages that `install` may install: requirements of pip, `pandas` or `pandas>=2`, or `any` name and version, but no
   * path and no address. Attackers publish packages under names that models invent, so prefer a list of names.
   *
   * @default []
   */
  readonly installablePackages?: readonly string[] | 'any' | undefined
  /**
   * Whether isolated executors and executors without isolation may use the working directory at the same time, or one below
   * or above it. An isolated program could leave a module or a link there, which a program without isolation would run or
   * follow. With `false` the second of them does not start (`WORK_DIR_SHARED`), unless the first one allows it.
   *
   * @default false
   */
  readonly allowSharedWorkDir?: boolean | undefined
}

const maxTimeoutMs = 2 ** 31 - 1

const languageSchema: z.ZodType<Language, Language> = z.strictObject({
  id: z.string().min(1),
  aliases: z.array(z.string()),
  extension: z.string().regex(/^\w+$/),
  comments: z.array(z.strictObject({ open: z.string().min(1), close: z.string().optional() })),
  kind: z.enum(['run', 'save', 'data']),
  commands: z.array(z.array(z.string()).min(1)).optional(),
  byteOrderMark: z.boolean().optional(),
  aliasExtensions: z.record(z.string(), z.string().regex(/^\w+$/)).optional(),
  substituteFor: z.array(z.string()).optional(),
}) as z.ZodType<Language, Language>

/** A time limit in milliseconds: a whole number from 1 to 2 147 483 647, the longest that a timer can wait. */
export const timeoutMsSchema: z.ZodNumber = z.int().min(1).max(maxTimeoutMs)

/** A Python package, as pip takes it. Options of pip are refused. */
export const packageSchema: z.ZodString = z
  .string()
  .regex(/^\s*[^\s-]/, 'must be a package as pip takes it; options of pip belong into a requirements file')

/** The options that every executor has, for its own schema: `z.strictObject({ ...engineOptionsShape, image: … })`. */
export const engineOptionsShape = {
  timeoutMs: timeoutMsSchema.default(60_000),
  maxWaitMs: timeoutMsSchema.default(600_000),
  maxOutputBytes: z
    .int()
    .min(2)
    .max(2 ** 30)
    .default(2 ** 20),
  onOutputLimit: z.enum(['truncate', 'kill']).default('truncate'),
  redact: z.array(z.string().min(1)).default([]),
  languages: z.array(languageSchema).default([]),
  executionPolicies: z.record(z.string(), z.boolean()).default({}),
  cleanupTempFiles: z.boolean().default(true),
  missingPackages: z.enum(['report', 'install']).default('report'),
  installablePackages: z.union([z.array(packageSchema), z.literal('any')]).default([]),
  allowSharedWorkDir: z.boolean().default(false),
} as const

const engineOptionsSchema = z.object(engineOptionsShape)

/** See {@link engineOptionsShape}. */
export type EngineOptions = z.output<typeof engineOptionsSchema>

/** Every option that an executor has, with its default. */
export const engineDefaults: EngineOptions = engineOptionsSchema.parse({})
