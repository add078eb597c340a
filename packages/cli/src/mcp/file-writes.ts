import { createHash } from 'node:crypto'
import type { FileRequest } from '@fenced/core'
import { fileRequest } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { visibleName } from '@fenced/errors/text'
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Approvals } from './approval.ts'
import { textOf } from './file-content.ts'
import { filesOf } from './file-resources.ts'
import { answer, type SandboxInput, sandboxNotOpen, type ToolSandboxes } from './tool-sandboxes.ts'

/** What a tool that writes a file returns. */
export const writtenSchema = z.object({ path: z.string(), sizeBytes: z.int() })

/** A file as a tool wants to write it. */
interface FileWrite extends SandboxInput {
  readonly path: string
  readonly content: Buffer
}

/** Writes files. With approvals, a person allows each of them first. */
export class FileWrites {
  readonly #server: McpServer
  readonly #tools: ToolSandboxes
  readonly #approvals: Approvals | undefined

  constructor(server: McpServer, tools: ToolSandboxes, approvals: Approvals | undefined) {
    this.#server = server
    this.#tools = tools
    this.#approvals = approvals
  }

  async write(file: FileWrite, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const { path, content } = file
    const key = this.#tools.keyOf(file)
    if (key === undefined) return sandboxNotOpen()
    const work = () =>
      this.#tools.use(
        file,
        async (executor) => {
          await (await filesOf(executor)).write(path, content)
          return {
            ...answer(`${visibleName(path)} has ${content.length} bytes.`),
            structuredContent: { path, sizeBytes: content.length },
          }
        },
        ctx.mcpReq,
      )
    if (this.#approvals === undefined) return work()
    const question = { key, request: this.#questionAbout(file) }
    return this.#approvals.perform(question, { ctx, server: this.#server, work })
  }

  #questionAbout({ path, content }: FileWrite): FileRequest {
    const text = textOf(content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    const file = { path, sizeBytes: content.length, sha256, ...(text === undefined ? {} : { text }) }
    return fileRequest(this.#tools.sandboxes.example, { action: 'write', path, file })
  }
}
