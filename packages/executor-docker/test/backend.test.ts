import { describeBackend } from '@fenced/contract'
import { Engine } from '@fenced/sandbox-docker'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, it } from 'vitest'
import { backendOn } from './backend-under-test.ts'
import { docker, podman, podmanHost } from './requirements.ts'

const engines = [
  { name: 'docker', host: undefined, isMissing: docker.missing, except: {} },
  {
    name: 'podman',
    host: podmanHost,
    isMissing: podman.missing,
    except: {
      'a name that could be a pattern is only that name': 'Podman takes the path of an archive for a pattern',
    },
  },
]

const rows = rowTags({ nightly: ['podman: ', ': processes'] })

for (const { name, host, isMissing, except } of engines) {
  describe.skipIf(isMissing)(`a container of ${name}`, rows, () => {
    let engine: Promise<Engine> | undefined
    afterAll(async () => (await engine)?.close())
    describeBackend(
      { describe, it },
      {
        name,
        async create() {
          engine ??= Engine.connect(host)
          return backendOn(await engine)
        },
        module: `${import.meta.resolve('./backend-under-test.ts')}?${host ?? ''}`,
        // On a busy machine an engine starts one or two in a second.
        commandsAtOnce: 16,
        otherUser: { user: '1234', id: 1234 },
        except,
      },
    )
  })
}
