import { expect, it } from 'vitest'
import { outsideWorkDirNotice } from './outside-work-dir-notice.ts'

const temporary = { hostPath: '/tmp/fenced-1', path: '/workspace', isTemporary: true }
const named = { hostPath: '/home/a/project', path: '/workspace', isTemporary: false }

it.each<[stderr: string, path: string]>([
  ["FileNotFoundError: [Errno 2] No such file or directory: '/home/a/data.csv'", '/home/a/data.csv'],
  ["PermissionError: [Errno 13] Permission denied: '/root/x'", '/root/x'],
  ["OSError: [Errno 30] Read-only file system: '/usr/x'", '/usr/x'],
  ["Error: ENOENT: no such file or directory, open '/data/b.json'", '/data/b.json'],
  ['cat: /home/a/notes: No such file or directory', '/home/a/notes'],
  ['sh: 1: cannot create /usr/x: Read-only file system', '/usr/x'],
  ["ls: cannot access '/home/a': No such file or directory", '/home/a'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", 'data.csv'],
  ["FileNotFoundError: [Errno 2] No such file or directory: '../data'", '../data'],
])('finds the path in %j', (stderr, path) => {
  expect(outsideWorkDirNotice(stderr, temporary)).toMatchObject({ code: 'outside-work-dir', data: { path } })
})

it('finds a relative path in the temporary directory that a pool made', () => {
  const ofPool = { hostPath: '/tmp/fenced-0123456789abcdef', path: '/workspace', isTemporary: false }
  const stderr = "No such file or directory: 'a.csv'"
  expect(outsideWorkDirNotice(stderr, ofPool)).toMatchObject({ data: { path: 'a.csv' } })
})

it.each([
  [
    'a file of the working directory, as the program sees it',
    "No such file or directory: '/workspace/a.csv'",
    temporary,
  ],
  [
    'a file of the working directory, as the host sees it',
    "No such file or directory: '/home/a/project/a.csv'",
    named,
  ],
  ['a relative path where the caller named the directory', "No such file or directory: 'a.csv'", named],
  ['a missing command', "FileNotFoundError: [Errno 2] No such file or directory: 'ffmpeg'", temporary],
  ['another failure', "NameError: name 'x' is not defined", temporary],
  ['an executor without a working directory', "No such file or directory: '/home/a'", undefined],
])('has no notice for %s', (_, stderr, directory) => {
  expect(outsideWorkDirNotice(stderr, directory)).toBeUndefined()
})
