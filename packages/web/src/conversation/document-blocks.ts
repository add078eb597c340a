import { z } from '@fenced/core/zod'
import { Problem } from '../problem.ts'

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))])

/** The parts of the format of notebooks (nbformat 4) that are read here. */
const notebookSchema = z.looseObject({
  cells: z.array(z.looseObject({ cell_type: z.string(), source: text })),
  metadata: z
    .looseObject({
      language_info: z.looseObject({ name: z.string() }).optional(),
      kernelspec: z.looseObject({ language: z.string().optional() }).optional(),
    })
    .optional(),
})

/** A notebook as Markdown; Markdown unchanged. @throws {@link Problem} */
export function documentText(name: string, content: string): string {
  return name.toLowerCase().endsWith('.ipynb') ? notebookAsMarkdown(name, content) : content
}

function notebookAsMarkdown(name: string, content: string): string {
  const { cells, metadata } = readNotebook(name, content)
  const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? 'python'
  return cells
    .filter(({ source }) => source.trim() !== '')
    .map(({ cell_type, source }) => (cell_type === 'code' ? fenced(language, source) : source))
    .join('\n\n')
}

function readNotebook(name: string, content: string): z.output<typeof notebookSchema> {
  try {
    return notebookSchema.parse(JSON.parse(content))
  } catch {
    throw new Problem(422, `${name} is not an nbformat 4 notebook. Nothing was run.`)
  }
}

/** A fence that is longer than every fence in the code (CommonMark). */
export function fenced(language: string, code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}`
}
