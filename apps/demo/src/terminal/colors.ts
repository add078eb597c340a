import picocolors from 'picocolors'

/** A file or a pipe gets none, in continuous integration either. */
export const colors = picocolors.createColors(picocolors.isColorSupported && process.stdout.isTTY === true)
