import type { CodeExecutor } from '@fenced/core'
import type { SandboxFiles } from '@fenced/core/sandbox'
import { visibleName } from '@fenced/errors/text'
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { readContent, resourceOf, tooLarge } from './file-content.ts'
import type { ToolSandboxes } from './tool-sandboxes.ts'

/** Maximum number of listed files; `list_files` finds the others. */
const mostListed = 1_000

/**
 * Registers the files of sandboxes as resources, such as `fenced://default/plot.png`. With a single sandbox, its files are
 * listed once it has a sandbox: a client that lists resources as it connects starts no container.
 */
export function registerFileResources(server: McpServer, tools: ToolSandboxes): void {
  const list = async () => ({
    resources: tools.sandboxes.has(tools.usualKey)
      ? await tools.sandboxes.use(tools.usualKey, async (executor) =>
          (await pathsIn(await filesOf(executor))).map((path) => ({
            uri: fileUri(tools.usualKey, path),
            name: visibleName(path),
          })),
        )
      : [],
  })
  server.registerResource(
    'file',
    new ResourceTemplate('fenced://{sandbox}/{+path}', {
      list: tools.handles === undefined ? list : undefined,
    }),
    {
      title: 'A file of the sandbox',
      description: `A file of the working directory. \`sandbox\` is a handle, or "${tools.usualKey}" for calls without one.`,
    },
    async ({ href }, { sandbox, path }) => {
      const key = typeof sandbox === 'string' ? tools.keyAt(sandbox) : undefined
      if (typeof path !== 'string' || key === undefined) throw new ResourceNotFoundError(href)
      const name = decoded(path)
      if (name === undefined) throw new ResourceNotFoundError(href)
      const content = await tools.sandboxes.use(key, async (executor) =>
        readContent(await filesOf(executor), name),
      )
      if (content === undefined) throw new ResourceNotFoundError(href)
      if (content === 'too-large') throw new ProtocolError(ProtocolErrorCode.InvalidParams, tooLarge(name))
      return { contents: [resourceOf(href, content)] }
    },
  )
}

/** The address of a file as a resource. @param place - a handle, or the usual key. */
export function fileUri(place: string, path: string): string {
  return `fenced://${place}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** `undefined` for what is not percent-encoded UTF-8 (`%ZZ`). */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Files of an executor that has started by then. */
export async function filesOf(executor: CodeExecutor): Promise<SandboxFiles> {
  await executor.start()
  const { sandbox } = executor
  if (sandbox === undefined)
    throw new Error('The executor has a sandbox, or nothing of files was registered.')
  return sandbox.files
}

/** Those above others come first. Links are not followed. */
async function pathsIn(files: SandboxFiles): Promise<string[]> {
  const paths: string[] = []
  const directories = ['']
  for (const directory of directories) {
    const entries = (await files.list(directory === '' ? '.' : directory)) ?? new Map()
    for (const [name, { kind }] of entries) {
      const path = directory === '' ? name : `${directory}/${name}`
      if (kind === 'directory') directories.push(path)
      if (kind === 'file') paths.push(path)
      if (paths.length + directories.length > mostListed) return paths
    }
  }
  return paths
}
