import type { ApprovalTarget } from '@fenced/core'
import { formatBytes } from '@fenced/errors/text'
import type { Place } from '../../src/http/executor-states.ts'

/** Particulars that have their own words elsewhere: the network and the programs' inputs. */
const otherNames = ['allowedHosts', 'allowedCIDRs', 'deniedCIDRs', 'ports', 'valuesHash']

const limitNames: Readonly<Record<string, string>> = {
  memoryBytes: 'memory',
  pids: 'processes',
  timeoutMs: 'time of each program',
  maxWaitMs: 'waiting for people',
  env: 'environment variables',
}

/** The limits of a place, and what else its programs get, in words. */
export function limitTexts(
  particulars: ApprovalTarget['particulars'],
  limits: Partial<Place['limits']> = {},
): string[] {
  const texts = Object.entries(particulars)
    .filter(([name]) => !otherNames.includes(name))
    .map(([name, value]) => limitText(name, value))
  if (limits.memory === false && particulars.memoryBytes === undefined)
    texts.push('no guaranteed limit of memory')
  if (limits.processes === false && particulars.pids === undefined)
    texts.push('no guaranteed limit of processes')
  return texts
}

function limitText(name: string, value: string | number | boolean): string {
  const words = limitNames[name] ?? name
  if (value === false) return `${words} not limited`
  if (name.endsWith('Bytes') && typeof value === 'number') return `${words} ${formatBytes(value)}`
  if (name.endsWith('Ms') && typeof value === 'number') return `${words} ${value / 1_000} s`
  return `${words} ${value}`
}
