import type { Language } from '@fenced/markdown'
import { type AskOptions, askOptionsShape } from '../approval/ask-options.ts'
import { z } from '../zod.ts'

/** Options common to all executors. */
export interface ExecutorOptions extends AskOptions {
  /**
   * Time limit for each block, in milliseconds. It is paused while the program waits for people, for up to `maxWaitMs` in total,
   * and while it waits for tools, for up to `timeoutMs` in total. A program therefore ends after `2 × timeoutMs + maxWaitMs` at
   * the latest, or after `timeoutMs` if it uses no tools and asks no questions.
   *
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Total time that a block can wait for people, in milliseconds: for answers to its questions. `timeoutMs` is paused meanwhile. When the time is up, open questions are withdrawn and the block ends with the
   * status `timeout`. A notice names the option.
   *
   * @default 600_000
   */
  readonly maxWaitMs?: number | undefined
  /**
   * Maximum number of bytes kept per stream of a block. The beginning and the end are kept.
   *
   * @default 1_048_576
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * What happens to a program that writes more than `maxOutputBytes`: the middle of its output is dropped (`truncate`), or it is
   * stopped (`kill`).
   *
   * @default 'truncate'
   */
  readonly onOutputLimit?: 'truncate' | 'kill' | undefined
  /**
   * Values to replace with `[redacted]` in output, results, events and the text of the block itself. Files that the code creates,
   * and their names, are not searched. The two streams, and separate blocks, are searched independently.
   *
   * @default []
   */
  readonly redact?: readonly string[] | undefined
  /**
   * Languages in addition to the built-in ones. A language with the same ID replaces the built-in one.
   *
   * @default []
   */
  readonly languages?: readonly Language[] | undefined
  /**
   * Overrides of the language table, keyed by language ID: whether the language's blocks are run (`true`) or only saved in the
   * working directory (`false`).
   *
   * @default {}
   */
  readonly executionPolicies?: Readonly<Record<string, boolean>> | undefined
  /**
   * Whether a program's file is removed after the run if the program does not name it. With `false`, the file is kept under a
   * unique name that appears in the result.
   *
   * @default true
   */
  readonly cleanupTempFiles?: boolean | undefined
  /**
   * What happens if a Python program fails because a package is missing. `report`: the result explains how to get the package.
   * `install`: the package is installed and the program is rerun from the beginning, which repeats its earlier effects. A program
   * that has changed files is not rerun. Only packages in `installablePackages` are installed. The installation time does not
   * count towards any limit.
   *
   * @default 'report'
   */
  readonly missingPackages?: 'report' | 'install' | undefined
  /**
   * Packages that `install` and `installPackages` can install: pip requirements, such as `pandas` or `pandas>=2`. `any` allows every name and version,
   * but no paths or URLs. Attackers publish packages under names that models invent, so prefer a list of names.
   *
   * @default []
   */
  readonly installablePackages?: readonly string[] | 'any' | undefined
  /**
   * Whether an isolated executor and any other executor can use the working directory, or one above or below it, at the same time.
   * An isolated program could leave a module or a link there that a non-isolated program would run or follow, and could change the
   * programs and files of another sandbox. With `false`, the second executor fails to start with `WORK_DIR_SHARED`, unless the
   * first one allows sharing. Executors that share a directory must trust each other's programs.
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
  systems: z.array(z.string().min(1)).optional(),
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

/** Defaults of the options that a question about code shows if they were changed. */
export const defaultLimits = {
  timeoutMs: 60_000,
  maxWaitMs: 600_000,
  maxOutputBytes: 2 ** 20,
  onOutputLimit: 'truncate',
} as const

/**
 * Options common to all executors, for use in an executor's own schema: `z.strictObject({ ...engineOptionsShape, image: … })`.
 */
export const engineOptionsShape = {
  timeoutMs: timeoutMsSchema.default(defaultLimits.timeoutMs),
  maxWaitMs: timeoutMsSchema.default(defaultLimits.maxWaitMs),
  maxOutputBytes: z
    .int()
    .min(2)
    .max(2 ** 30)
    .default(defaultLimits.maxOutputBytes),
  onOutputLimit: z.enum(['truncate', 'kill']).default(defaultLimits.onOutputLimit),
  redact: z.array(z.string().min(1)).default([]),
  languages: z.array(languageSchema).default([]),
  executionPolicies: z.record(z.string(), z.boolean()).default({}),
  cleanupTempFiles: z.boolean().default(true),
  missingPackages: z.enum(['report', 'install']).default('report'),
  installablePackages: z.union([z.array(packageSchema), z.literal('any')]).default([]),
  allowSharedWorkDir: z.boolean().default(false),
  ...askOptionsShape,
} as const

/** Parsed options common to all executors. See {@link engineOptionsShape}. */
export type EngineOptions = z.output<z.ZodObject<typeof engineOptionsShape>>
