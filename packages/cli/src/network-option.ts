import type { CustomNetwork } from '@fenced/core'
import { InvalidArgumentError } from 'commander'

/** What code may reach, as `--network` has it. */
export interface NetworkChoice {
  readonly policy: 'allow-all' | CustomNetwork
  /** Whether a person is prompted about unlisted hosts. */
  readonly asks: boolean
}

/** Reads `all`, or hosts with commas between them, with `ask` among them or alone. @throws InvalidArgumentError */
export function readNetwork(text: string): NetworkChoice {
  const words = text.split(',').map((word) => word.trim())
  if (text === 'all') return { policy: 'allow-all', asks: false }
  if (words.some((word) => word === '' || word === 'all'))
    throw new InvalidArgumentError('It must be "all", or hosts such as pypi.org,*.example.com.')
  const allowedHosts = words.filter((word) => word !== 'ask')
  return { policy: { mode: 'custom', allowedHosts }, asks: words.includes('ask') }
}

/** The same without a person to prompt. @throws InvalidArgumentError */
export function readNetworkWithoutQuestions(text: string): NetworkChoice {
  const choice = readNetwork(text)
  if (choice.asks)
    throw new InvalidArgumentError('No person can be asked here: "ask" is for fenced run and fenced web.')
  return choice
}
