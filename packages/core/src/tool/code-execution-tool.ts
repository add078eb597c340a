import { z } from 'zod'
import { askingExecutor } from '../approval/approved-executor.ts'
import type { Ask } from '../approval/ask.ts'
import { askerOf, askShape, isAsk } from '../approval/asker.ts'
import { type DecisionLedger, ledgerSchema } from '../approval/decision-ledger.ts'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import { approveNetworkShape, hostToolOptionsShape } from '../engine/execute-arguments.ts'
import { timeoutMsSchema } from '../engine/options.ts'
import type { HostToolOptions } from '../host-tools/host-tool.ts'
import { requireToolLanguages } from '../host-tools/tool-set.ts'
import { hostToolsText } from '../host-tools/tools-text.ts'
import { definedOptions } from '../options/defined-options.ts'
import { parseOptions } from '../options/parse-options.ts'
import {
  type CodeToolModelOutput,
  type ToolOutput,
  toolModelOutput,
  toolOutputSchema,
} from './tool-output.ts'
import { toolOutputs } from './tool-outputs.ts'
import { type ToolPicturesOptions, toolPicturesSchema } from './tool-pictures.ts'

/** Options of {@link codeExecutionTool}. With `tools` its programs call them ("code mode"), and its description says how. */
export interface CodeExecutionToolOptions extends HostToolOptions {
  /**
   * The tool's name, for code that registers tools by their own name. The AI SDK takes the key in `tools`.
   *
   * @default 'execute_code'
   */
  readonly name?: string | undefined
  /**
   * Description of the tool for the model.
   *
   * @default its languages, what is kept between calls and whether there is a network, in English
   */
  readonly description?: string | undefined
  /**
   * Time limit for each program in milliseconds.
   *
   * @default the executor's own
   */
  readonly timeoutMs?: number | undefined
  /**
   * Limit for the printed text in the model's output, in characters. The beginning and the end are kept.
   *
   * @default 16_000
   */
  readonly maxModelOutputLength?: number | undefined
  /**
   * Whether the model is shown the pictures among the results, and how many: figures of Matplotlib, what a kernel displays. For
   * models that take pictures in the result of a tool; others would read their data as text.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * As that of `execute`. Each call of the tool is a run.
   *
   * @default connections that are not in the network list are refused
   */
  readonly approveNetwork?: ExecuteOptions['approveNetwork']
  /**
   * Asked about the programs of the model, and about the other kinds that occur in a run: a function, functions by kind, or an
   * `ApprovalQueue`. `approveTool` and `approveNetwork` are short forms for one kind; a kind takes only one of them.
   *
   * @default programs run without a question, and the other kinds keep their defaults
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question, in milliseconds. A question that expires is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Records the decisions about programs and about calls of tools. See `approvedExecutor`.
   *
   * @default a ledger in memory, for this tool alone
   */
  readonly ledger?: DecisionLedger | undefined
}

const optionsSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -, up to 64 of them')
    .default('execute_code'),
  description: z.string().min(1).optional(),
  timeoutMs: z.int().min(1).optional(),
  maxModelOutputLength: z.int().min(0).default(16_000),
  pictures: toolPicturesSchema,
  ...approveNetworkShape,
  ask: z.custom<Ask>(isAsk, askShape).optional(),
  askTimeoutMs: timeoutMsSchema.optional(),
  ledger: ledgerSchema.optional(),
  ...hostToolOptionsShape,
})

/** Input of the tool. */
export interface CodeExecutionToolInput {
  /** A whole program. */
  code: string
  /** A language of the executor. Default: its first language. */
  language?: string | undefined
}

/** A tool as the AI SDK and the agents of `@fenced/agents` take it. */
export interface CodeExecutionTool {
  /** Name of the tool. */
  readonly name: string
  /** Description for the model. */
  readonly description: string
  /** Schema of the input. */
  readonly inputSchema: z.ZodType<CodeExecutionToolInput>
  /** Schema of the output. */
  readonly outputSchema: z.ZodType<ToolOutput>
  /** Runs a program. Yields preliminary outputs, then the final output. Aborting the signal ends the program. */
  readonly execute: (
    input: CodeExecutionToolInput,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => AsyncGenerator<ToolOutput, undefined, undefined>
  /** Returns an output for the model: text within `maxModelOutputLength`, and `pictures`. */
  readonly toModelOutput: (result: { readonly output: ToolOutput }) => CodeToolModelOutput
}

/**
 * Makes a tool of an executor, for any agent loop of the AI SDK. What a program prints streams as preliminary output; the
 * model reads a bounded text, and the program that uses the tool gets everything. The executor is the caller's to stop.
 *
 * @throws FencedError `INVALID_OPTIONS`; `TOOLS_UNSUPPORTED` for `tools` where no program can call them.
 * @example
 * const { text } = await generateText({ model, prompt, tools: { execute_code: codeExecutionTool(executor) } })
 */
export function codeExecutionTool(
  executor: CodeExecutor,
  options: CodeExecutionToolOptions = {},
): CodeExecutionTool {
  const settings = parseOptions(optionsSchema, options, 'codeExecutionTool')
  const { name, maxModelOutputLength, pictures, tools, approveTool, toolLimits } = settings
  const { timeoutMs, approveNetwork, ask, askTimeoutMs, ledger } = settings
  const asker = askerOf({ ask, approveTool, approveNetwork, askTimeoutMs })
  const { executor: asking, questions } = askingExecutor(executor, {
    ...{ asker, given: { approveNetwork }, ledger },
  })
  const { languages } = executor.capabilities
  if (tools !== undefined) requireToolLanguages(executor)
  const toolsText = tools === undefined ? '' : hostToolsText(tools, executor.capabilities.toolLanguages)
  const description = settings.description ?? describe(executor, questions.answerInput !== undefined)
  return {
    name,
    description: toolsText === '' ? description : `${description}\n\n${toolsText}`,
    inputSchema: z.object({
      code: z.string().describe('A whole program.'),
      language: z
        .enum(languages)
        .optional()
        .describe(`The language of the program. Default: ${languages[0]}.`),
    }),
    outputSchema: toolOutputSchema,
    execute: ({ code, language = languages[0] ?? '' }, { abortSignal } = {}) =>
      toolOutputs(
        asking.execute(
          [{ language, code }],
          definedOptions({
            ...{ signal: abortSignal, timeoutMs, ...questions },
            ...(tools === undefined ? {} : { tools, toolLimits }),
          }),
        ),
        { pictures },
      ),
    toModelOutput: ({ output }) => toolModelOutput(output, { maxLength: maxModelOutputLength }),
  }
}

/** Only what is true of this executor: a model calls what it reads of. */
function describe({ capabilities }: CodeExecutor, answersInput: boolean): string {
  const { languages, stateful, network, isolationParticulars: { allowedHosts } = {} } = capabilities
  return [
    `Runs a program (${languages.join(', ')}) and returns what it printed, its exit code if it failed, and the files that it left.`,
    stateful
      ? 'Variables and imports stay from one call to the next.'
      : 'Only what is printed can be seen, and every call is a new process: variables of earlier calls are gone.',
    'Files in the current directory stay; use relative paths.',
    ...(answersInput ? [] : ['A program cannot ask for input.']),
    ...(network ? [] : ['There is no network.']),
    ...(typeof allowedHosts === 'string' && allowedHosts !== ''
      ? [`By HTTP and HTTPS it reaches ${allowedHosts}; other hosts may be refused.`]
      : []),
  ].join(' ')
}
