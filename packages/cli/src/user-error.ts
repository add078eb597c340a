/** Something that the person at the keyboard can correct. Shown as one line, without a stack. */
export class UserError extends Error {}
