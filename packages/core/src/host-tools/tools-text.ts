import type { HostTools } from './host-tool.ts'
import { pythonStubs } from './python-stubs.ts'
import { ToolSet } from './tool-set.ts'

/** Above so many tools, or so many characters, a model gets one line for each. */
const mostTools = 8
const longestStubs = 8_000

/**
 * What a model reads about the tools that its Python programs may call: their signatures with types, or for many of them one line
 * each, and how to find out more.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function hostToolsText(tools: HostTools): string {
  const { tools: ready } = ToolSet.of(tools)
  if (ready.length === 0) return ''
  const stubs = pythonStubs(ready)
  const isShort = ready.length <= mostTools && stubs.length <= longestStubs
  const lines = ready.map(({ pythonName, description = '' }) => `- ${pythonName}: ${firstLine(description)}`)
  const head =
    'A Python program can call functions of the host after `import tools`. They take and return JSON values and bytes, and raise tools.ToolError, or tools.ToolDenied when somebody refuses a call. Only what the program prints is shown to you.'
  const more = 'Look one up in a program by help(tools.NAME), and find some by print(tools.search("words")).'
  return isShort ? `${head}\n\n\`\`\`python\n${stubs}\n\`\`\`` : `${head} ${more}\n\n${lines.join('\n')}`
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}
