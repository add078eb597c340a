import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '@fenced/core/sandbox'
import { requirement } from '@fenced/testing'

/** Tools that scripts in a sandbox use. */
export type Tools = 'system' | 'busybox'

export const busybox = requirement('busybox', problem())

function problem(): string | undefined {
  try {
    execFileSync('busybox', ['true'])
    return undefined
  } catch (error) {
    return `busybox does not run: ${String(error)}`
  }
}

/** `spawn` of a sandbox in which scripts find only these tools. */
export function spawnWith(tools: Tools, sandbox: Pick<Sandbox, 'spawn'>): Sandbox['spawn'] {
  return ([program, ...args], options) => {
    if (tools === 'system') return sandbox.spawn([program, ...args], options)
    const shell = program === '/bin/sh' ? join(applets(), 'sh') : program
    return sandbox.spawn([shell, ...args], { ...options, env: { ...options?.env, PATH: applets() } })
  }
}

let directory: string | undefined

/** A directory with a link for each applet of BusyBox. */
function applets(): string {
  if (directory !== undefined) return directory
  const made = mkdtempSync(join(tmpdir(), 'fenced-test-busybox-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  execFileSync('busybox', ['--install', '-s', made])
  directory = made
  return made
}
