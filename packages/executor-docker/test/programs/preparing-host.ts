// Prepares a sandbox for an identity, says so when it has begun, and prints which process did the work. With `dies` it is killed in the middle.
import { DockerSandbox } from '@fenced/sandbox-docker'

const { image, identity, dies = false } = JSON.parse(process.argv[2] ?? '{}')
const sandbox = new DockerSandbox({ image })
await sandbox.start({
  preparation: {
    identity,
    prepare: async (place) => {
      if (dies) process.kill(process.pid, 'SIGKILL')
      const command = ['/bin/sh', '-c', `sleep 1; echo ${process.pid} > "$HOME/by"`] as const
      await (await place.spawn(command)).ended
    },
  },
})
const content = (await sandbox.files.read('/home/user/by')) ?? []
for await (const chunk of content) process.stdout.write(chunk)
await sandbox.stop()
