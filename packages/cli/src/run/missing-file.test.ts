import type { BlockResult } from '@fenced/core'
import { expect, it } from 'vitest'
import { missingFileNotice } from './missing-file.ts'

const isolated = {
  capabilities: { isolation: 'sandbox' },
  workDir: '/work',
} as Parameters<typeof missingFileNotice>[1]['executor']
const failed = (stderr: string) => ({ status: 'error', stderr }) as BlockResult

it('finds the path in what Python, Node and shells say', ({ everyRow }) =>
  everyRow<[string, string]>(
    [
      ["FileNotFoundError: [Errno 2] No such file or directory: '/home/a/data.csv'", '/home/a/data.csv'],
      ["PermissionError: [Errno 13] Permission denied: '/root/x'", '/root/x'],
      ["OSError: [Errno 30] Read-only file system: '/usr/x'", '/usr/x'],
      ["Error: ENOENT: no such file or directory, open '/data/b.json'", '/data/b.json'],
      ['cat: /home/a/notes: No such file or directory', '/home/a/notes'],
      ['sh: 1: cannot create /usr/x: Read-only file system', '/usr/x'],
      ["ls: cannot access '/home/a': No such file or directory", '/home/a'],
      ["FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", 'data.csv'],
    ],
    (stderr, path) => {
      expect(missingFileNotice(failed(stderr), { executor: isolated, hasWorkDir: false })).toMatchObject({
        code: 'outside-work-dir',
        data: { path },
      })
    },
  ))

it.each([
  ['a file of the working directory', "No such file or directory: '/work/data.csv'", false, isolated],
  [
    'a relative path where the user named the directory',
    "No such file or directory: 'a.csv'",
    true,
    isolated,
  ],
  ['another failure', "NameError: name 'x' is not defined", false, isolated],
  [
    'a program without isolation',
    "No such file or directory: '/home/a'",
    false,
    { ...isolated, capabilities: { ...isolated.capabilities, isolation: 'none' as const } },
  ],
])('has no notice for %s', (_, stderr, hasWorkDir, executor) => {
  expect(missingFileNotice(failed(stderr), { executor, hasWorkDir })).toBeUndefined()
})
