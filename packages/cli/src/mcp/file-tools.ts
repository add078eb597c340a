import { toolInput } from '@fenced/core/internal'
import type { SandboxFiles } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import { visibleName } from '@fenced/errors/text'
import { bytesOfBase64 } from '@fenced/shared'
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { Approvals } from './approval.ts'
import { registerEditTool } from './edit-file.ts'
import { largestFile, pictureType, readContent, resourceOf, textOf, tooLarge } from './file-content.ts'
import { filesOf, fileUri } from './file-resources.ts'
import { FileWrites, writtenSchema } from './file-writes.ts'
import { firstOf, mostNames } from './result-limits.ts'
import { registerSearchTool } from './search-files.ts'
import { answer, failure, type SandboxInput, type ToolSandboxes } from './tool-sandboxes.ts'

/** Registers the tools of files. @param approvals - asks a person before each file is written. */
export function registerFileTools(
  server: McpServer,
  tools: ToolSandboxes,
  approvals: Approvals | undefined,
): void {
  const { shape } = tools
  const writes = new FileWrites(server, tools, approvals)
  const path = z.string().min(1).describe('Relative to the working directory.')
  const inFiles = (
    input: SandboxInput,
    { mcpReq }: ServerContext,
    work: (files: SandboxFiles) => Promise<CallToolResult>,
  ) => tools.use(input, async (executor) => work(await filesOf(executor)), mcpReq)

  server.registerTool(
    'read_file',
    {
      title: 'Read a file',
      description: `Reads a file of up to ${largestFile / 2 ** 20} MiB: as text, as a picture, or else as base64.`,
      inputSchema: toolInput({ path, ...shape }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input, ctx) => inFiles(input, ctx, (files) => readFile(files, tools.placeOf(input), input.path)),
  )
  server.registerTool(
    'write_file',
    {
      title: 'Write a file',
      description: 'Writes a file as a whole, with the directories above it.',
      inputSchema: toolInput({
        path,
        content: z.string(),
        encoding: z.enum(['utf8', 'base64']).default('utf8').describe('How `content` is written.'),
        ...shape,
      }),
      outputSchema: writtenSchema,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async (input, ctx) => {
      const content = input.encoding === 'base64' ? bytesOfBase64(input.content) : Buffer.from(input.content)
      if (content === undefined) return failure(notBase64)
      if (!input.content.isWellFormed()) return failure(notEncodable)
      return writes.write({ ...input, content }, ctx)
    },
  )
  server.registerTool(
    'list_files',
    {
      title: 'List files',
      description: `Lists the names in a directory, with kind and size: the first ${mostNames} in order.`,
      inputSchema: toolInput({ path: path.default('.'), ...shape }),
      outputSchema: z.object({
        entries: z.array(
          z.object({
            name: z.string(),
            kind: z.enum(['file', 'directory', 'link', 'other']),
            sizeBytes: z.int(),
          }),
        ),
        omitted: z.int().optional().describe('How many further names are not listed.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input, ctx) => inFiles(input, ctx, (files) => listFiles(files, input.path)),
  )
  registerEditTool(server, tools, writes)
  registerSearchTool(server, tools)
}

const notBase64 =
  'Nothing was written, because the content is not base64. Pass base64 with its padding and without a `data:` prefix, or leave out `encoding` for text.'

const notEncodable =
  'Nothing was written, because the content has half a surrogate pair, which UTF-8 cannot encode. Write whole characters, or pass the bytes as base64.'

async function readFile(files: SandboxFiles, place: string, path: string): Promise<CallToolResult> {
  const content = await readContent(files, path)
  if (content === undefined) return missing(path, 'file')
  if (content === 'too-large') return failure(tooLarge(path))
  const mimeType = pictureType(content)
  if (mimeType !== undefined)
    return { content: [{ type: 'image', mimeType, data: content.toString('base64') }] }
  const text = textOf(content)
  if (text !== undefined) return answer(text)
  return { content: [{ type: 'resource', resource: resourceOf(fileUri(place, path), content) }] }
}

async function listFiles(files: SandboxFiles, path: string): Promise<CallToolResult> {
  const found = await files.list(path)
  if (found === undefined) return missing(path, 'directory')
  const all = [...found]
    .map(([name, { kind, sizeBytes }]) => ({ name, kind, sizeBytes }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const entries = firstOf(all, ({ name }) => name.length)
  const omitted = all.length - entries.length
  const lines = entries.map(
    ({ name, kind, sizeBytes }) =>
      `${visibleName(name)}${kind === 'directory' ? '/' : ` (${kind}, ${sizeBytes} bytes)`}`,
  )
  if (omitted > 0) lines.push(`(${omitted} further names are not listed: find them by a program.)`)
  return {
    ...answer(lines.length === 0 ? '(It is empty.)' : lines.join('\n')),
    structuredContent: { entries, ...(omitted === 0 ? {} : { omitted }) },
  }
}

function missing(path: string, kind: string): CallToolResult {
  return failure(`There is no ${kind} ${visibleName(path)}.`)
}
