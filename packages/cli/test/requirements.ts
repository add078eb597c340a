import { spawnSync } from 'node:child_process'
import { requirement } from '@fenced/core/testing'

const { error } = spawnSync('python3', ['--version'])

/** What the tests need of this machine. */
export const python = requirement('python', error && `python3 cannot be started (${error.message})`)
