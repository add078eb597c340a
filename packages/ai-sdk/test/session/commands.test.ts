import { buffer, text } from 'node:stream/consumers'
import { rowTags, uniqueSeconds } from '@fenced/testing'
import { expect } from 'vitest'
import { describeContract } from './sandboxes.ts'
import { begun, commandLines, firstOf } from './watch.ts'

// What the SDK says about paths, commands and processes, sentence by sentence, in our words.
describeContract(rowTags({ all: ['bubblewrap', 'an executor'], nightly: ['a container'] }), [
  [
    'a relative path is the same in a command and in every method',
    async ({ session, name }) => {
      await session.run({ command: `mkdir ${name} && echo made > ${name}/file` })
      expect(await session.readTextFile({ path: `${name}/file` })).toBe('made\n')
      expect(await session.readTextFile({ path: `./${name}//file` })).toBe('made\n')
      expect(await session.stat({ path: name })).toMatchObject({ type: 'directory' })
      expect(await session.listDirectory({ path: name })).toEqual([{ name: 'file', type: 'file' }])
      const { stdout } = await session.run({ command: 'cat file', workingDirectory: name })
      expect(stdout).toBe('made\n')
      await session.writeTextFile({ path: `${name}/file`, content: 'written' })
      const process = await session.spawn({ command: 'cat file', workingDirectory: `./${name}` })
      expect(await text(process.stdout)).toBe('written')
      expect(await session.deleteFile({ path: `${name}/file` })).toBe(true)
      expect((await session.run({ command: `ls -A ${name}` })).stdout).toBe('')
    },
  ],
  [
    'the base stays when a command changes its directory',
    async ({ session }) => {
      const { stdout: before } = await session.run({ command: 'pwd; cd /' })
      expect((await session.run({ command: 'pwd' })).stdout).toBe(before)
      const process = await session.spawn({ command: 'pwd; cd /' })
      expect(await text(process.stdout)).toBe(before)
    },
  ],
  [
    'an absolute path is taken as it is',
    async ({ session, outside, name }) => {
      const path = `${outside}/${name}/file`
      await session.writeTextFile({ path, content: 'outside' })
      expect((await session.run({ command: `cat ${path}` })).stdout).toBe('outside')
      expect(await session.readTextFile({ path })).toBe('outside')
      expect(await session.stat({ path })).toEqual({ type: 'file', size: 7 })
      expect(await session.listDirectory({ path: `${outside}/${name}` })).toEqual([
        { name: 'file', type: 'file' },
      ])
      expect(
        (await session.run({ command: 'cat file', workingDirectory: `${outside}/${name}` })).stdout,
      ).toBe('outside')
      expect(await session.deleteFile({ path })).toBe(true)
      expect(await session.stat({ path })).toBeNull()
    },
    'outside',
  ],
  [
    'run gives the exit code of the command and both streams apart',
    async ({ session }) => {
      const command = 'echo out; echo err >&2; printf more; exit 3'
      expect(await session.run({ command })).toEqual({ exitCode: 3, stdout: 'out\nmore', stderr: 'err\n' })
      expect(await session.run({ command: 'kill -9 $$' })).toMatchObject({ exitCode: 137 })
      expect(await session.run({ command: 'no-such-program' })).toMatchObject({ exitCode: 127 })
      expect(await session.run({ command: '# filename: not-kept.sh\necho $((1 + 1))' })).toMatchObject({
        stdout: '2\n',
      })
      expect(await session.stat({ path: 'not-kept.sh' })).toBeNull()
    },
  ],
  [
    'env is for one command, beside the variables that are there anyway, and wins over them',
    async ({ session }) => {
      const command = 'printf "%s|" "$TERM" "$CI" "$OWN"'
      const env = { TERM: 'mine', OWN: `'"\`$HOME\\ ü\n pip install x\n<<EOF\n-n !` }
      expect((await session.run({ command, env })).stdout).toBe(`mine|1|${env.OWN}|`)
      const process = await session.spawn({ command, env })
      expect(await text(process.stdout)).toBe(`mine|1|${env.OWN}|`)
      expect((await session.run({ command })).stdout).toBe('dumb|1||')
      await expect(session.run({ command, env: { 'A; touch x': '' } })).rejects.toMatchObject({
        code: 'SANDBOX_INVALID_ARGUMENT',
      })
    },
  ],
  [
    'spawn gives both streams, the exit code, and a kill that may come twice or late',
    async ({ session }) => {
      const process = await session.spawn({ command: 'echo out; echo err >&2; exit 5' })
      expect('stdin' in process).toBe(false)
      expect(await Promise.all([text(process.stdout), text(process.stderr)])).toEqual(['out\n', 'err\n'])
      expect(await process.wait()).toEqual({ exitCode: 5 })
      await process.kill()
      await process.kill()
      expect(await process.wait()).toEqual({ exitCode: 5 })
    },
  ],
  [
    'variables are on no command line of this machine',
    async ({ session }) => {
      const seconds = uniqueSeconds()
      const secret = `secret-of-${seconds}-`.replace('.', '-')
      const command = `echo "$SECRET"; sleep ${seconds}`
      const process = await session.spawn({ command, env: { SECRET: secret } })
      expect(await firstOf(process.stdout)).toBe(`${secret}\n`)
      await begun(`${seconds}`)
      expect(commandLines().filter((line) => line.includes(secret))).toEqual([])
      await process.kill()
    },
  ],
  [
    'a process has the bytes that its program writes, also where they are not UTF-8',
    async ({ session }) => {
      const process = await session.spawn({
        command: "printf '\\377\\001\\303'; sleep 0.1; printf '\\251'; printf '\\376' >&2",
      })
      const [stdout, stderr] = await Promise.all([buffer(process.stdout), buffer(process.stderr)])
      expect([stdout.toString('hex'), stderr.toString('hex')]).toEqual(['ff01c3a9', 'fe'])
    },
  ],
  [
    'standard input is closed unless it is asked for',
    async ({ session }) => {
      const process = await session.spawn({ command: 'cat; echo end', stdin: false })
      expect(await text(process.stdout)).toBe('end\n')
    },
  ],
])
