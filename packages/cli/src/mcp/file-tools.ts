import { createHash, randomUUID } from 'node:crypto'
import type { FileRequest } from '@fenced/core'
import { targetOf, toolInput, withDigest } from '@fenced/core/internal'
import type { SandboxFiles } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import { visibleName } from '@fenced/errors/text'
import { bytesOfBase64 } from '@fenced/shared'
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { Approvals } from './approval.ts'
import { largestFile, pictureType, readContent, resourceOf, textOf, tooLarge } from './file-content.ts'
import { filesOf, fileUri } from './file-resources.ts'
import { firstOf, mostNames } from './result-limits.ts'
import { answer, failure, type SandboxInput, type SessionTools, sandboxNotOpen } from './session-tools.ts'
import type { Sessions } from './sessions.ts'

/** Registers `read_file`, `write_file` and `list_files`. @param approvals - asks a person before each file is written. */
export function registerFileTools(
  server: McpServer,
  tools: SessionTools,
  approvals: Approvals | undefined,
): void {
  const { shape } = tools
  const path = z.string().min(1).describe('Relative to the working directory, or absolute.')
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
      annotations: { readOnlyHint: true },
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
      annotations: { idempotentHint: true },
    },
    async (input, ctx) => {
      const content = input.encoding === 'base64' ? bytesOfBase64(input.content) : Buffer.from(input.content)
      if (content === undefined) return failure(notBase64)
      if (!input.content.isWellFormed()) return failure(notEncodable)
      const work = () =>
        inFiles(input, ctx, async (files) => {
          await files.write(input.path, content)
          return answer(`${visibleName(input.path)} has ${content.length} bytes.`)
        })
      const request = questionAbout({ path: input.path, content }, tools.sessions)
      const session = tools.sessionOf(input)
      if (session === undefined) return sandboxNotOpen()
      const question = { session, request }
      return approvals === undefined ? work() : approvals.perform(question, { ctx, server, work })
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
      annotations: { readOnlyHint: true },
    },
    (input, ctx) => inFiles(input, ctx, (files) => listFiles(files, input.path)),
  )
}

const notBase64 =
  'Nothing was written, because the content is not base64. Pass base64 with its padding and without a `data:` prefix, or leave out `encoding` for text.'

const notEncodable =
  'Nothing was written, because the content has half a surrogate pair, which UTF-8 cannot encode. Write whole characters, or pass the bytes as base64.'

function questionAbout(
  { path, content }: { readonly path: string; readonly content: Buffer },
  { example, where }: Sessions,
): FileRequest {
  const text = textOf(content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  return withDigest({
    kind: 'file' as const,
    id: randomUUID(),
    question: `May the file ${visibleName(path)} (${content.length} bytes) be written ${where}?`,
    action: 'write' as const,
    path,
    file: { path, sizeBytes: content.length, sha256, ...(text === undefined ? {} : { text }) },
    target: targetOf(example),
  })
}

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
