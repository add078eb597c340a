import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a process of this id runs, or has not been waited for. */
function isThere(id: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Those of these processes that are still there after a time in which anything that ends has ended. */
export async function stillThere(ids: readonly number[]): Promise<number[]> {
  for (let round = 0; round < 300 && ids.some(isThere); round++) await sleep(50)
  return ids.filter(isThere)
}

/** How many threads a process has. */
export function threadsOf(id: number): number {
  try {
    return readdirSync(`/proc/${id}/task`).length
  } catch {
    return 0
  }
}

/** The id of its parent, or 0 when it has ended. */
export function parentOf(id: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

/** The ids of the processes whose environment, command line, … contains a text. */
export function processesWith(file: 'environ' | 'cmdline', text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/${file}`, 'latin1').includes(text)
      } catch {
        return false
      }
    })
    .map(Number)
}
