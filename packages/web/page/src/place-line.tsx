import type { ApprovalTarget } from '@fenced/core'
import { formatBytes } from '@fenced/errors/text'
import type { ExecutorState, Place } from './api.ts'
import { Icon } from './icon.tsx'

/** Where code of an executor runs, in one line: its isolation, its network and its limits. */
export function PlaceLine({ executor }: { readonly executor: ExecutorState }) {
  const { place, description } = executor
  if (place === undefined)
    return (
      <p className="place">
        <Icon name="shield" /> {description ?? 'The first question shows the isolation and the limits.'}
      </p>
    )
  const isOpen = place.isolation === 'none'
  return (
    <p className="place" data-isolation={place.isolation}>
      <Icon name={isOpen ? 'warning' : 'shield'} />
      <span>
        <strong>Code runs {place.description}.</strong>
        {isOpen && ' It can do everything that you can do.'} {limitsText(place)}
        {description !== undefined && <span className="why"> {description}</span>}
      </span>
    </p>
  )
}

function limitsText({ particulars, limits }: Place): string {
  const words = limitTexts(particulars, limits)
  return words.length === 0 ? '' : `Limits: ${words.join(', ')}.`
}

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
  if (limits.memory === false && particulars.memoryBytes === undefined) texts.push('memory not limited')
  if (limits.processes === false && particulars.pids === undefined) texts.push('processes not limited')
  return texts
}

function limitText(name: string, value: string | number | boolean): string {
  const words = limitNames[name] ?? name
  if (value === false) return `${words} not limited`
  if (name.endsWith('Bytes') && typeof value === 'number') return `${words} ${formatBytes(value)}`
  if (name.endsWith('Ms') && typeof value === 'number') return `${words} ${value / 1_000} s`
  return `${words} ${value}`
}
