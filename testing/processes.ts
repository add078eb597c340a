import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Command lines of the processes on this machine in which a text occurs, those in containers included. Only Linux
 * tells; elsewhere there seem to be none.
 */
function processesMentioning(text: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => commandLine(id))
    .filter((line) => line.includes(text))
}

/** The same, after the processes had a little time to go: a killed one is gone a moment later. */
export async function processesLeft(text: string): Promise<string[]> {
  for (let round = 0; round < 500 && processesMentioning(text).length > 0; round++) await sleep(20)
  return processesMentioning(text)
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
