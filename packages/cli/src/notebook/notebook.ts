import { z } from '@fenced/core/zod'
import { UserError } from '../user-error.ts'

/** Text of a notebook: as a whole, or as lines that keep their ends. */
const multiline = z.union([z.string(), z.array(z.string())])

const cellSchema = z.looseObject({
  cell_type: z.string(),
  source: multiline,
  metadata: z.looseObject({ tags: z.array(z.string()).optional() }).optional(),
})

const notebookSchema = z.looseObject({
  nbformat: z.literal(4),
  metadata: z.looseObject({
    kernelspec: z.looseObject({ name: z.string(), language: z.string().optional() }).optional(),
    language_info: z.looseObject({ name: z.string() }).optional(),
  }),
  cells: z.array(cellSchema),
})

/** A notebook in version 4 of its format (https://nbformat.readthedocs.io); other fields are kept unchanged. */
export type Notebook = z.output<typeof notebookSchema>
export type Cell = z.output<typeof cellSchema>

/** What a cell showed, or the value of its last line, as nbformat has it. */
export type Shown = { data: Readonly<Record<string, unknown>>; metadata: object } & (
  | { output_type: 'display_data' }
  | { output_type: 'execute_result'; execution_count: number }
)

/** An output of a cell, as nbformat has it. */
export type CellOutput =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | Shown
  | { output_type: 'error'; ename: string; evalue: string; traceback: string[] }

/** @throws UserError for what is no notebook. */
export function readNotebook(path: string, text: string): Notebook {
  try {
    notebookSchema.parse(JSON.parse(text))
    // Not what the schema returns: it would order fields in its own way.
    return JSON.parse(text, keepNumber) as Notebook
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message
    throw new UserError(`${path} is not a format 4 notebook: ${why}`)
  }
}

/** Parts of ECMAScript's proposal "JSON.parse source text access" that TypeScript does not declare. */
interface RawJson {
  rawJSON(text: string): unknown
}

/** Keeps the spelling of a number in metadata if JavaScript would change it, such as 9007199254740993. */
function keepNumber(
  this: unknown,
  _key: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  if (typeof value !== 'number' || source === undefined || JSON.stringify(value) === source) return value
  return (JSON as typeof JSON & RawJson).rawJSON(source)
}

/** Formatted as Jupyter does, so that a diff shows only real changes. */
export function notebookText(notebook: Notebook): string {
  return `${JSON.stringify(notebook, null, 1)}\n`
}

export function sourceOf({ source }: Cell): string {
  return typeof source === 'string' ? source : source.join('')
}

/** The language of its code. */
export function languageOf({ metadata: { kernelspec, language_info } }: Notebook): string {
  return (kernelspec?.language ?? language_info?.name ?? 'python').toLowerCase()
}
