import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import type { Sandbox } from '@fenced/core/sandbox'
import type { SandboxRow } from './sandbox-row.ts'

async function shell(sandbox: Sandbox, script: string): Promise<string> {
  const process = await sandbox.spawn(['/bin/sh', '-c', script])
  return text(process.stdout)
}

/** Prints every name below a directory with its content or the target of a link, one a line. */
const show = (directory: string) =>
  `cd ${directory} && for each in $(ls -A); do
    if [ -L $each ]; then echo "$each -> $(readlink $each)"
    elif [ -d $each ]; then echo "$each: $(ls -A $each | tr '\\n' ' ')"
    else echo "$each = $(cat $each)"; fi
  done`

const refused = { code: 'FILE_REFUSED' }

/** Both, where they do the same. */
const transfers = ['move', 'copy'] as const

export const sandboxMoveRows: readonly SandboxRow[] = [
  {
    name: 'a file, a link and a directory are moved, with the directories above the new path',
    async check(sandbox) {
      await shell(sandbox, 'mkdir -p mv/tree/a; cd mv; echo 1 > file; ln -s nowhere link; echo 2 > tree/b')
      for (const name of ['file', 'link', 'tree']) await sandbox.files.move(`mv/${name}`, `mv/new/x/${name}`)
      assert.equal(await shell(sandbox, show('mv/new/x')), 'file = 1\nlink -> nowhere\ntree: a b \n')
      assert.equal(await shell(sandbox, 'ls -A mv'), 'new\n')
    },
  },
  {
    name: 'a file, a link and a directory are copied, with their permissions, and the original stays',
    async check(sandbox) {
      await shell(
        sandbox,
        'mkdir -p cp/tree/a; cd cp; echo 1 > file; chmod 750 file; ln -s tree link; echo 2 > tree/b; ln -s ../file tree/c; chmod 500 tree',
      )
      for (const name of ['file', 'link', 'tree']) await sandbox.files.copy(`cp/${name}`, `new cp/${name}`)
      const both = 'file = 1\nlink -> tree\ntree: a b c \n'
      assert.equal(await shell(sandbox, show('"new cp"')), both)
      assert.equal(await shell(sandbox, show('cp')), both)
      assert.equal(await shell(sandbox, 'readlink "new cp/tree/c"; cat "new cp/tree/b"'), '../file\n2\n')
      // A volume of a pod gives its directories a group.
      const modeOf = async (name: string) => ((await sandbox.files.stat(`new cp/${name}`))?.mode ?? 0) & 0o777
      assert.deepEqual([await modeOf('file'), await modeOf('tree')], [0o750, 0o500])
    },
  },
  {
    name: 'a move and a copy replace a file and a link, unless they must not',
    async check(sandbox) {
      for (const transfer of transfers) {
        await shell(
          sandbox,
          `rm -rf over; mkdir -p over/kept; cd over; echo old > a; ln -s kept b; for each in 1 2 3; do echo $each > $each; done`,
        )
        await sandbox.files[transfer]('over/1', 'over/a')
        await sandbox.files[transfer]('over/2', 'over/b')
        const kept = sandbox.files[transfer]('over/3', 'over/a', { overwrite: false })
        await assert.rejects(kept, refused)
        assert.equal(await shell(sandbox, 'cd over; cat a b 3; ls -A kept'), '1\n2\n3\n')
        await sandbox.files[transfer]('over/3', 'over/c', { overwrite: false })
        assert.equal(await shell(sandbox, 'cat over/c'), '3\n')
      }
    },
  },
  {
    name: 'a move and a copy are refused where they would lose or nest a directory, and leave everything',
    async check(sandbox) {
      await shell(sandbox, 'mkdir -p nest/from/in nest/to; cd nest; echo 1 > file; ln -s nowhere link')
      const before = await shell(sandbox, show('nest'))
      const pairs = [
        ['nest/missing', 'nest/new/a'],
        ['nest/missing/below', 'nest/b'],
        ['nest/file', 'nest/to'],
        ['nest/from', 'nest/to'],
        ['nest/from', 'nest/file'],
        ['nest/from', 'nest/link'],
        ['nest/from', 'nest/from/in/deeper'],
        ['nest/from', 'nest/from'],
        ['nest/file', 'nest/file'],
        ['nest/file', 'nest/file/below'],
        ['nest/file', 'nest/link/below'],
      ] as const
      for (const transfer of transfers) {
        const check = ([from, to]: (typeof pairs)[number]) =>
          assert.rejects(sandbox.files[transfer](from, to), refused, `${transfer} ${from} ${to}`)
        await Promise.all(pairs.map(check))
      }
      await assert.rejects(sandbox.files.move('.', 'elsewhere'), refused)
      assert.equal(await shell(sandbox, show('nest')), before)
    },
  },
  {
    name: 'two names of one file become one when it is moved from one to the other',
    async check(sandbox) {
      await shell(sandbox, 'mkdir hard; echo 1 > hard/one; ln hard/one hard/two')
      await sandbox.files.move('hard/one', 'hard/two')
      assert.equal(await shell(sandbox, show('hard')), 'two = 1\n')
    },
  },
  {
    name: 'neither path of a move or a copy leads outside of the directory, where only that can be reached',
    unless: ({ files }) => (files === 'whole' ? 'the whole file system can be reached' : undefined),
    async check(sandbox) {
      await shell(sandbox, 'ln -s /etc etc; echo 1 > inside')
      for (const transfer of transfers) {
        for (const outside of ['/etc/passwd', '../x', 'etc/passwd', 'a\0b', '\ud800']) {
          await assert.rejects(sandbox.files[transfer](outside, 'here'), refused, outside)
          await assert.rejects(sandbox.files[transfer]('inside', outside), refused, outside)
        }
      }
      assert.equal(await sandbox.files.stat('here'), undefined)
      assert.equal(await shell(sandbox, 'cat inside'), '1\n')
    },
  },
  {
    name: 'a cancelled move and a cancelled copy change nothing',
    async check(sandbox) {
      await shell(sandbox, 'mkdir stays; echo 1 > stays/one')
      const reason = new Error('not wanted')
      const options = { signal: AbortSignal.abort(reason) }
      for (const transfer of transfers)
        await assert.rejects(sandbox.files[transfer]('stays/one', 'stays/two', options), reason)
      assert.equal(await shell(sandbox, show('stays')), 'one = 1\n')
    },
  },
]
