import type { ApprovalAnswer, AskAbout, CodeApprovalRequest } from '@fenced/core'
import { codeHash } from '@fenced/core/internal'
import { describe, expect, it } from 'vitest'
import { allow, answering, deny } from './answering.fixture.ts'
import { program, runner, solver } from './solving.fixture.ts'

const task = (...orders: readonly string[]) => ({ task: program(...orders) })

describe('what was approved is what runs', () => {
  const vandal = (request: CodeApprovalRequest) => {
    for (const block of request.blocks) Object.assign(block, { code: 'say other' })
    Object.assign(request.target.particulars, { memoryBytes: 0 })
    Object.assign(request, { codeHash: codeHash(request.blocks) })
  }

  it('whoever decides and changes the request changes nothing', async () => {
    const { agent, executor } = runner({
      ask: {
        code: (request) => {
          vandal(request)
          return allow
        },
      },
    })
    await agent.run(task('say 1'))
    expect(executor.ran).toEqual(['say 1'])
    expect(executor.capabilities.isolationParticulars).toEqual({ memoryBytes: 1_000 })
  })

  it('whoever watches and changes what is shown changes neither request nor program', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering(allow)
    const { agent, executor } = solver([program('say 1'), 'One.'], { ask: { code: approve } })
    for await (const item of agent.run()) {
      if (item.type === 'code-generated') {
        for (const block of item.codeBlocks) block.code = 'say other'
      }
      if (item.type === 'approval-requested' && item.request.kind === 'code') vandal(item.request)
    }
    expect(requests[0]?.blocks[0]?.code).toBe('say 1')
    expect(executor.ran).toEqual(['say 1'])
    expect(executor.capabilities.isolationParticulars).toEqual({ memoryBytes: 1_000 })
  })

  it('an edit that changes all the time is taken once, and the model reads what ran', async () => {
    let reads = 0
    const block = {
      language: 'sh',
      get code() {
        return `say ${reads++}`
      },
    }
    const approve: AskAbout<'code'> = () => ({ decision: 'edit', blocks: [block] })
    const { agent, executor, prompt } = solver([program('say 1'), 'Done.'], { ask: { code: approve } })
    await agent.run()
    expect(executor.ran).toHaveLength(1)
    expect(prompt(1).at(-1)).toContain(`~~~~sh\n${executor.ran[0]}\n~~~~`)
  })

  it('agents that ask at the same time get each its own answer', async () => {
    const waiting = new Map<string, (answer: ApprovalAnswer) => void>()
    const approve: AskAbout<'code'> = ({ agent }) => new Promise((resolve) => waiting.set(agent, resolve))
    const pairs = ['a', 'b', 'c'].map((name) => runner({ name, ask: { code: approve } }))
    const runs = pairs.map(({ agent }) => agent.run(task(`say ${agent.name}`)))
    await expect.poll(() => waiting.size).toBe(3)
    waiting.get('c')?.(allow)
    waiting.get('a')?.(deny('Not a.'))
    waiting.get('b')?.(allow)
    await Promise.all(runs)
    expect(pairs.map(({ executor }) => executor.ran)).toEqual([[], ['say b'], ['say c']])
  })
})
