import { ignoredDirectories, toolInput } from '@fenced/core/internal'
import type { SandboxFiles } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import { visible, visibleName } from '@fenced/errors/text'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { largestFile, readContent, textOf } from './file-content.ts'
import { filesOf } from './file-resources.ts'
import { answer, failure, type ToolSandboxes } from './tool-sandboxes.ts'

/** Bounds of a search. A program in the sandbox can search more. */
const most = { matches: 200, visited: 2_000, lineLength: 300 } as const

const matchSchema = z.object({ path: z.string(), line: z.int(), text: z.string() })
type Match = z.output<typeof matchSchema>

const searchSchema = z.object({
  matches: z.array(matchSchema),
  isComplete: z.boolean().describe('Whether all files were searched, and all matches are listed.'),
})

/** Registers `search_files`. It takes no pattern: one with many ways to match would stop this process. */
export function registerSearchTool(server: McpServer, tools: ToolSandboxes): void {
  server.registerTool(
    'search_files',
    {
      title: 'Search files',
      description: `Finds lines that contain a text, in text files of up to ${largestFile / 2 ** 20} MiB. Lists the first ${most.matches} lines. For patterns, run \`grep\`.`,
      inputSchema: toolInput({
        text: z.string().min(1).max(1_000).describe('Text that a line contains.'),
        path: z.string().min(1).default('.').describe('Directory to search, with all below it.'),
        ...tools.shape,
      }),
      outputSchema: searchSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input, { mcpReq }) =>
      tools.use(
        input,
        async (executor, { signal }) => {
          const files = await filesOf(executor)
          if ((await files.list(input.path)) === undefined)
            return failure(`There is no directory ${visibleName(input.path)}.`)
          return found(await search(files, input, signal))
        },
        mcpReq,
      ),
  )
}

/** How many directories and files a search still visits. */
interface Budget {
  left: number
  readonly signal: AbortSignal
}

async function search(
  files: SandboxFiles,
  { path, text }: { readonly path: string; readonly text: string },
  signal: AbortSignal,
): Promise<z.output<typeof searchSchema>> {
  const matches: Match[] = []
  const budget = { left: most.visited, signal }
  for await (const file of filesBelow(files, path, budget)) {
    const content = await readContent(files, file)
    const searched = content instanceof Buffer ? textOf(content) : undefined
    for (const match of linesWith(searched ?? '', text)) {
      if (matches.length === most.matches) return { matches, isComplete: false }
      matches.push({ path: file, ...match })
    }
  }
  return { matches, isComplete: !isSpent(budget) }
}

function isSpent({ left, signal }: Budget): boolean {
  return left <= 0 || signal.aborted
}

/** Files in the order of their names. Links are not followed, and directories of packages and versions are left out. */
async function* filesBelow(files: SandboxFiles, top: string, budget: Budget): AsyncGenerator<string> {
  const pending = [top]
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const entries = [...((await files.list(directory)) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
    const below: string[] = []
    for (const [name, { kind, sizeBytes }] of entries) {
      const path = directory === '.' ? name : `${directory}/${name}`
      const isSearched = kind === 'file' && sizeBytes <= largestFile
      if (kind === 'directory' && !ignoredDirectories.has(name)) below.push(path)
      if (!isSearched) continue
      if (isSpent(budget)) return
      budget.left -= 1
      yield path
    }
    if (isSpent(budget)) return
    budget.left -= 1
    pending.push(...below.reverse())
  }
}

function* linesWith(content: string, text: string): Generator<Omit<Match, 'path'>> {
  if (!content.includes(text)) return
  for (const [index, line] of content.split('\n').entries()) {
    if (line.includes(text)) yield { line: index + 1, text: line.slice(0, most.lineLength) }
  }
}

function found(result: z.output<typeof searchSchema>): CallToolResult {
  const lines = result.matches.map(({ path, line, text }) => `${visibleName(path)}:${line}: ${visible(text)}`)
  if (!result.isComplete) lines.push('(The search ended at its limit. Search a directory, or run a program.)')
  return {
    ...answer(lines.length === 0 ? 'No line contains it.' : lines.join('\n')),
    structuredContent: result,
  }
}
