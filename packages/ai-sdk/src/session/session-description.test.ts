import { expect, it } from 'vitest'
import { sessionDescription } from './session-description.ts'

const bounded = { memory: true, processes: true }

it('names each limit that is in force, and nothing else that is not certain', () => {
  const directory = '/work'
  const open = { isolation: 'vm', network: 'list', limits: { memory: false, processes: false } } as const
  const closed = { isolation: 'container', network: 'none', limits: bounded } as const
  const start = 'Each command starts in the working directory /work.'
  const rest = 'Relative paths start there, and files there stay; variables and `cd` end with their command.'
  expect(sessionDescription({ capabilities: open, directory })).toBe(
    `Commands run in a shell in a virtual machine. ${start} ${rest}`,
  )
  expect(sessionDescription({ capabilities: closed, directory })).toBe(
    `Commands run in a shell in a container. ${start} ${rest} There is no network. Limited: memory and number of processes.`,
  )
  const limits = { ...bounded, cpu: true, disk: true }
  expect(sessionDescription({ capabilities: { ...closed, limits }, directory })).toMatch(
    /Limited: memory, number of processes, processor time, and disk space\.$/,
  )
})
