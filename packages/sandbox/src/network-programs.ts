import { readFileSync } from 'node:fs'

/** The programs of a network by list that run in a sandbox. This file is not in a folder of its own, so that the paths are the same from `src` and `dist`. */
export const helperSources = {
  python: {
    helper: read(new URL('../python/network.py', import.meta.url)),
    test: read(new URL('../python/network_test.py', import.meta.url)),
  },
  node: {
    helper: read(new URL('../node/network.cjs', import.meta.url)),
    test: read(new URL('../node/network-test.cjs', import.meta.url)),
  },
} as const

function read(path: URL): string {
  return readFileSync(path, 'utf8')
}
