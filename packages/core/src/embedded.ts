// A text of a program that runs elsewhere. The build replaces this module by the values of its exports.
import { readFileSync } from 'node:fs'

/** The beginning of the module `tools` of a program of Python. */
export const pythonTools = readFileSync(new URL('../python/tools.py', import.meta.url), 'utf8')
