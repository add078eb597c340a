import { definedOptions } from '@fenced/shared'
import { type AskOptions, askOptionsShape } from '../approval/ask-options.ts'
import { askerOf } from '../approval/asker.ts'
import { askable } from '../asking-executor.ts'
import type { CodeExecutor } from '../code-executor.ts'
import { hostToolOptionsShape } from '../engine/call/execute-arguments.ts'
import { requireToolLanguages } from '../host-tools/tool-set.ts'
import { hostToolsText } from '../host-tools/tools-text.ts'
import { parseOptions } from '../options/parse-options.ts'
import type { HostToolOptions } from '../vocabulary/host-tool.ts'
import { z } from '../zod.ts'
import { stateText } from './state-text.ts'
import { programInput, toolInput } from './tool-input.ts'
import {
  type CodeToolModelOutput,
  type ToolOutput,
  toolModelOutput,
  toolOutputSchema,
} from './tool-output.ts'
import { toolOutputs } from './tool-outputs.ts'
import { type ToolPicturesOptions, toolPicturesSchema } from './tool-pictures.ts'

/**
 * Options for {@link codeExecutionTool}. If `tools` is set, programs can call them ("code mode"), and the tool's description
 * explains how.
 */
export interface CodeExecutionToolOptions extends AskOptions, HostToolOptions {
  /**
   * Name of the tool, for code that registers tools by their own name. The AI SDK uses the key in `tools` instead.
   *
   * @default 'execute_code'
   */
  readonly name?: string | undefined
  /**
   * The tool's description for the model.
   *
   * @default its languages, what is kept between calls and whether there is network access, in English
   */
  readonly description?: string | undefined
  /**
   * Time limit for each program, in milliseconds.
   *
   * @default the executor's own
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum length of printed text in the model's output, in characters. The beginning and the end are kept.
   *
   * @default 16_000
   */
  readonly maxModelOutputLength?: number | undefined
  /**
   * Whether to show the model pictures from the results, such as Matplotlib figures or kernel displays, and how many. Use this
   * only for models that accept pictures in tool results; others would read the picture data as text.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
}

/** Schemas for {@link CodeExecutionToolOptions}. */
export const codeExecutionToolShape = {
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -, up to 64 of them')
    .default('execute_code'),
  description: z.string().min(1).optional(),
  timeoutMs: z.int().min(1).optional(),
  maxModelOutputLength: z.int().min(0).default(16_000),
  pictures: toolPicturesSchema,
  ...askOptionsShape,
  ...hostToolOptionsShape,
} as const

/** Input of the tool. */
export interface CodeExecutionToolInput {
  /** A complete program. */
  code: string
  /** One of the executor's languages. Default: its first language. */
  language?: string | undefined
}

/** A tool in the form that the AI SDK and the agents in `@fenced/agents` accept. */
export interface CodeExecutionTool {
  /** Name of the tool. */
  readonly name: string
  /** Description for the model. */
  readonly description: string
  /** Schema of the input. */
  readonly inputSchema: z.ZodType<CodeExecutionToolInput>
  /** Schema of the output. */
  readonly outputSchema: z.ZodType<ToolOutput>
  /** Runs a program. Yields preliminary outputs and then the final output. Aborting the signal stops the program. */
  readonly execute: (
    input: CodeExecutionToolInput,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => AsyncGenerator<ToolOutput, undefined, undefined>
  /** Returns an output in the form that the model receives: text within `maxModelOutputLength`, and `pictures`. */
  readonly toModelOutput: (result: { readonly output: ToolOutput }) => CodeToolModelOutput
}

/**
 * Creates a tool from an executor, for any AI SDK agent loop. Printed text is streamed as preliminary output. The model receives
 * a bounded text, and the calling program receives everything. The caller is responsible for stopping the executor.
 *
 * @throws FencedError `INVALID_OPTIONS`; `TOOLS_UNSUPPORTED` if `tools` is set but no program can call tools.
 * @example
 * const { text } = await generateText({ model, prompt, tools: { execute_code: codeExecutionTool(executor) } })
 */
export function codeExecutionTool(
  executor: CodeExecutor,
  options: CodeExecutionToolOptions = {},
): CodeExecutionTool {
  const settings = parseOptions(z.strictObject(codeExecutionToolShape), options, 'codeExecutionTool')
  const { name, maxModelOutputLength, pictures, tools, toolLimits, timeoutMs } = settings
  const { ask, askTimeoutMs, ledger, remembered, agent } = settings
  const asking = askable(executor)
  const deciding = { ask, askTimeoutMs, ledger, remembered, agent }
  const { languages } = executor.capabilities
  if (tools !== undefined) requireToolLanguages(executor)
  const toolsText = tools === undefined ? '' : hostToolsText(tools, executor.capabilities.toolLanguages)
  const description =
    settings.description ??
    describe(executor, askerOf({ ask }).has('input') && executor.capabilities.inputRequests === true)
  return {
    name,
    description: toolsText === '' ? description : `${description}\n\n${toolsText}`,
    inputSchema: toolInput({
      code: programInput('A whole program.'),
      language: z
        .enum(languages)
        .optional()
        .describe(`The language of the program. Default: ${languages[0]}.`),
    }),
    outputSchema: toolOutputSchema(),
    execute: ({ code, language = languages[0] ?? '' }, { abortSignal } = {}) =>
      toolOutputs(
        asking.execute(
          [{ language, code }],
          definedOptions({
            ...{ signal: abortSignal, timeoutMs, ...deciding },
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
  const { languages, richOutput, network, isolationParticulars: { allowedHosts } = {} } = capabilities
  return [
    `Runs a program (${languages.join(', ')}) and returns what it printed, its exit code if it failed, and the files that it left.`,
    ...(richOutput ? [] : ['Only what is printed can be seen.']),
    stateText(capabilities),
    'Files stay in the current directory; use relative paths.',
    ...(answersInput ? [] : ['A program cannot ask for input.']),
    ...(network === 'none' ? ['There is no network.'] : []),
    ...(typeof allowedHosts === 'string' && allowedHosts !== ''
      ? [`By HTTP and HTTPS it reaches ${allowedHosts}; other hosts may be refused.`]
      : []),
  ].join(' ')
}
