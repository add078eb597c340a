// @module-tag nightly

import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { Project } from './project.ts'

// Machines without bubblewrap and containers run it, too.
const anywhere = ['--isolation', 'none']
const registry = requirement('registry', inject('registryProblem') || undefined)

// The inspector is 150 MB.
describe.skipIf(registry.missing)("the command line of MCP's inspector", () => {
  it('finds and calls the tools of `fenced mcp`', async () => {
    await using project = await Project.create()
    await project.install(['@fenced/cli', '@modelcontextprotocol/inspector@2'])
    const inspect = async (...method: readonly string[]) => {
      const inspector = [
        'mcp-inspector',
        '--cli',
        '--method',
        ...method,
        '--',
        'npx',
        'fenced',
        'mcp',
        ...anywhere,
      ]
      return JSON.parse(await project.run('npx', inspector))
    }
    const { tools } = await inspect('tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toContain('execute_code')
    const echo = ['--tool-name', 'run_command', '--tool-arg', 'command=echo $((6 * 7))']
    expect(await inspect('tools/call', ...echo)).toMatchObject({ structuredContent: { output: '42\n' } })
  })
})
