import type { SetupStep } from './setup-step.ts'

/**
 * Makes a kernel the leader of a process group. One that is asked by a message to interrupt itself then interrupts what a cell has
 * started, too, as a signal to the group does.
 */
const source = `
def install():
    import os

    if hasattr(os, 'setpgid') and os.getpgrp() != os.getpid():
        os.setpgid(0, 0)

install()
`

export const leadGroup: SetupStep = { name: 'lead-group', source }
