import { describeSandbox } from '@fenced/contract'
import { describe, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

describeSandbox(
  { describe, it },
  {
    name: 'local',
    create: () => new LocalSandbox(),
    except: {
      'a daemon of a block that also cleared its environment ends with the block':
        'without isolation nothing finds it: docs/threat-model.md',
    },
  },
)

describe.skipIf(bubblewrap.missing)('isolated', () => {
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
      },
    },
  )
})
