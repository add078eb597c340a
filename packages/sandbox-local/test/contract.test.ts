import { describeSandbox } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

const amounts = ['many processes run beside', 'a megabyte that is pasted', '`less` shows', '`vim` changes']
const rows = rowTags({ nightly: amounts })

describeSandbox(
  { describe: (name, body) => describe(name, rows, body), it },
  {
    name: 'local',
    create: () => new LocalSandbox(),
    except: {
      'a daemon of a block that also cleared its environment ends with the block':
        'without isolation nothing finds it: docs/threat-model.md',
    },
  },
)

const isolatedRows = rowTags({ nightly: amounts })

describe.skipIf(bubblewrap.missing)('isolated', { tags: 'all', ...isolatedRows }, () => {
  describeSandbox(
    { describe, it },
    {
      name: 'bubblewrap',
      create: () => new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false }),
      // Each is a bubblewrap, and takes most of its time to start.
      processesAtOnce: 50,
      except: {
        'SIGINT and SIGTERM reach the program, which may end in its own way':
          'bwrap hands no signal on: it ends, and the kernel kills what is in it',
        'a signal of any name reaches the program': 'bwrap ends by a signal that ends programs',
      },
    },
  )
})
