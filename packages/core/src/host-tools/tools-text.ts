import { shortened } from '@fenced/errors/text'
import type { HostTools } from '../vocabulary/host-tool.ts'
import { pythonStubs } from './python-stubs.ts'
import type { ReadyTool } from './tool-schema.ts'
import { ToolSet } from './tool-set.ts'
import { javascriptName, typescriptStubs } from './typescript-stubs.ts'

/** Above this number of tools or characters, the model gets one line per tool. */
const mostTools = 8
const longestStubs = 8_000

/**
 * Returns a description, for the model, of the tools that its programs can call: typed signatures or, if there are many tools,
 * one line for each and a way to find out more.
 *
 * @param languages - Languages whose programs can call tools: an executor's `capabilities.toolLanguages`.
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function hostToolsText(tools: HostTools, languages: readonly string[] = ['python']): string {
  const { tools: ready } = ToolSet.of(tools)
  if (ready.length === 0) return ''
  return languages.includes('python') ? pythonText(ready, languages) : javascriptText(ready)
}

const common = 'Only what the program prints is shown to you.'

function pythonText(ready: readonly ReadyTool[], languages: readonly string[]): string {
  const head = `A Python program can call functions of the host after \`import tools\`. They take and return JSON values and bytes, and raise tools.ToolError, or tools.ToolDenied when a call is refused. ${common}`
  const first = ready[0]?.name ?? ''
  const others = languages.includes('javascript')
    ? ` A JavaScript or TypeScript program calls them without an import, with one object: await tools.${javascriptName(first)}({ ... }).`
    : ''
  const more =
    ' Look one up in a Python program by help(tools.NAME), and find some by print(tools.search("words")).'
  const stubs = pythonStubs(ready)
  return isShort(ready, stubs)
    ? `${head}${others}\n\n\`\`\`python\n${stubs}\n\`\`\``
    : `${head}${others}${more}\n\n${lines(ready, ({ pythonName }) => pythonName)}`
}

function javascriptText(ready: readonly ReadyTool[]): string {
  const head = `A program can call functions of the host by the global variable \`tools\`. They take an object and return a promise; a failure is an error with the name ToolError, or ToolDenied when the call is refused. ${common}`
  const stubs = typescriptStubs(ready)
  return isShort(ready, stubs)
    ? `${head}\n\n\`\`\`typescript\n${stubs}\n\`\`\``
    : `${head} An error about wrong arguments says what is expected.\n\n${lines(ready, ({ name }) => javascriptName(name))}`
}

function isShort(ready: readonly ReadyTool[], stubs: string): boolean {
  return ready.length <= mostTools && stubs.length <= longestStubs
}

function lines(ready: readonly ReadyTool[], nameOf: (tool: ReadyTool) => string): string {
  return ready.map((tool) => `- ${nameOf(tool)}: ${firstLine(tool.description ?? '')}`).join('\n')
}

function firstLine(text: string): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', 119)
}
