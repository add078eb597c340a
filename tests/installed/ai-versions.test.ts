// @module-tag nightly

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { Project } from './project.ts'
import { settings, typesPackages } from './settings.ts'
import { compilers } from './tools.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

const manifest = readFileSync(join(import.meta.dirname, '../../packages/ai-sdk/package.json'), 'utf8')
const range: string = JSON.parse(manifest).peerDependencies.ai
const versions = [
  { which: 'lowest', version: range.replace('^', '') },
  { which: 'newest', version: range },
]

/** A model that asks for one command, and a tool that runs it in the sandbox of the call. */
const program = `
import { toSandboxSession } from '@fenced/ai-sdk'
import { LocalSandbox } from '@fenced/sandbox-local'
import { generateText, isStepCount, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1)
    const isAnswered = last?.role === 'tool'
    return {
      content: isAnswered
        ? [{ type: 'text', text: JSON.stringify(last.content) }]
        : [{ type: 'tool-call', toolCallId: 'one', toolName: 'shell', input: '{"command":"echo $((6 * 7))"}' }],
      finishReason: isAnswered ? { unified: 'stop', raw: 'stop' } : { unified: 'tool-calls', raw: 'tool-calls' },
      usage,
      warnings: [],
    }
  },
})
const shell = tool({
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }, { experimental_sandbox: sandbox }) => (await sandbox?.run({ command }))?.stdout,
})
const sandbox = new LocalSandbox()
await sandbox.start()
const { text } = await generateText({
  model,
  prompt: 'How much is it?',
  tools: { shell },
  stopWhen: isStepCount(3),
  experimental_sandbox: toSandboxSession(sandbox),
})
console.log(text)
await sandbox.stop()
`

describe.skipIf(registry.missing)('@fenced/ai-sdk', () => {
  it.each(versions)('compiles and runs with the $which ai that it takes', async ({ which, version }) => {
    await using project = await Project.create('npm')
    const own = ['@fenced/ai-sdk', '@fenced/sandbox-local']
    await project.install([...own, `ai@${version}`, 'zod', ...typesPackages])
    await project.write('example.ts', program)
    await project.write('tsconfig.json', settings('nodenext', ['example.ts']))
    await project.run(process.execPath, [compilers[7] ?? '', '--project', 'tsconfig.json'])
    expect(await project.run(process.execPath, ['example.ts'])).toContain('42')
    const installed = await project.run(process.execPath, ['-p', "require('ai/package.json').version"])
    if (which === 'lowest') expect(installed.trim()).toBe(version)
  })
})
