#!/usr/bin/env node
import { commandLine } from './command-line.ts'
import { reportError } from './user-error.ts'

try {
  await commandLine((exitCode) => {
    process.exitCode = exitCode
  }).parseAsync()
} catch (error) {
  process.exitCode = reportError(error)
}
