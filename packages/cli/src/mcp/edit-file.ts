import { toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { visibleName } from '@fenced/errors/text'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { readContent, textOf, tooLarge } from './file-content.ts'
import { filesOf } from './file-resources.ts'
import { type FileWrites, writtenSchema } from './file-writes.ts'
import { answer, failure, type ToolSandboxes } from './tool-sandboxes.ts'

/** Registers `edit_file`. A question shows the whole file as it would be written. */
export function registerEditTool(server: McpServer, tools: ToolSandboxes, writes: FileWrites): void {
  server.registerTool(
    'edit_file',
    {
      title: 'Edit a file',
      description:
        'Replaces a text in a file. The text must occur exactly once: include the lines around it. Line ends count.',
      inputSchema: toolInput({
        path: z.string().min(1).describe('Relative to the working directory.'),
        old_text: z.string().min(1).describe('The text to replace.'),
        new_text: z.string().describe('The text in its place.'),
        ...tools.shape,
      }),
      outputSchema: writtenSchema,
      annotations: { destructiveHint: true, openWorldHint: false },
    },
    async (input, ctx) => {
      let edited: string | undefined
      const read = await tools.use(
        input,
        async (executor) => {
          const content = await readContent(await filesOf(executor), input.path)
          const found = editOf(content, input)
          if (typeof found !== 'string') return found
          edited = found
          return answer('')
        },
        ctx.mcpReq,
      )
      return edited === undefined ? read : writes.write({ ...input, content: Buffer.from(edited) }, ctx)
    },
  )
}

interface Edit {
  readonly path: string
  readonly old_text: string
  readonly new_text: string
}

/** The new text of a file, or why there is none. */
function editOf(
  content: Buffer | 'too-large' | undefined,
  { path, old_text, new_text }: Edit,
): string | CallToolResult {
  const name = visibleName(path)
  if (content === undefined) return failure(`There is no file ${name}.`)
  if (content === 'too-large') return failure(tooLarge(path))
  const text = textOf(content)
  if (text === undefined) return failure(`${name} is not UTF-8 text. Nothing was written.`)
  if (!new_text.isWellFormed()) return failure('`new_text` has half a surrogate pair. Nothing was written.')
  const start = text.indexOf(old_text)
  if (start === -1)
    return failure(`\`old_text\` does not occur in ${name}. Nothing was written. Read the file again.`)
  if (start !== text.lastIndexOf(old_text))
    return failure(
      `\`old_text\` occurs more than once in ${name}. Nothing was written. Include more of the lines around it.`,
    )
  return text.slice(0, start) + new_text + text.slice(start + old_text.length)
}
