import { expect, test } from 'vitest'
import { idInMounts } from './host-container.ts'

const id = '0b5696e0c226b47a83905815806b203053d2efa837eaa93017a62d063b445a54'

test.for([
  [
    'Docker',
    `612 600 8:1 /var/lib/docker/containers/${id}/hostname /etc/hostname rw - ext4 /dev/sda1 rw`,
    id,
  ],
  [
    'Podman',
    `12 6 0:24 /containers/overlay-containers/${id}/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw`,
    id,
  ],
  ['no container', '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw', undefined],
] as const)('the container of this process is found in its mounts: %s', ([, mounts, expected]) => {
  expect(idInMounts(mounts)).toBe(expected)
})
