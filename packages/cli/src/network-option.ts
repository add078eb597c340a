import type { NetworkOption } from '@fenced/core'
import { InvalidArgumentError } from 'commander'

/** What code may reach, as `--network` has it. */
export interface NetworkChoice {
  readonly option: NetworkOption
  /** Whether a person is prompted about unlisted hosts. */
  readonly asks: boolean
}

/** Reads `none`, `open`, or hosts with commas between them, with `ask` among them or alone. @throws InvalidArgumentError */
export function readNetwork(text: string): NetworkChoice {
  const words = text.split(',').map((word) => word.trim())
  if (text === 'none' || text === 'open') return { option: text, asks: false }
  if (words.some((word) => ['', 'none', 'open', 'all'].includes(word)))
    throw new InvalidArgumentError('It must be "none", "open", or hosts such as pypi.org,*.example.com.')
  const allowedHosts = words.filter((word) => word !== 'ask')
  return { option: { allowedHosts }, asks: words.includes('ask') }
}

/** The same without a person to prompt. @throws InvalidArgumentError */
export function readNetworkWithoutQuestions(text: string): NetworkChoice {
  const choice = readNetwork(text)
  if (choice.asks)
    throw new InvalidArgumentError('No person can be asked here: "ask" is for fenced run and fenced web.')
  return choice
}
