// @module-tag all

import { describeSandbox } from '@fenced/contract'
import { describe, it } from 'vitest'
import { namespaces } from './contained-backend.ts'
import { localSandbox } from './local-sandbox.ts'

describeSandbox(
  { describe, it },
  {
    name: 'a supervised sandbox',
    create: () => localSandbox({ isMounted: false, hasNetwork: false }).sandbox,
    // Each of their scripts looks at all processes.
    processesAtOnce: 10,
    except: namespaces.missing
      ? {
          'a daemon of a block that also cleared its environment ends with the block':
            'nothing identifies it without a process namespace',
        }
      : {},
  },
)
