import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The program of a Python's own kernel. This file is not in its folder, so that the path is the same from `src` and `dist`. */
export const ownKernelPath = fileURLToPath(new URL('../python/own_kernel.py', import.meta.url))

export const ownKernel = readFileSync(ownKernelPath, 'utf8')
