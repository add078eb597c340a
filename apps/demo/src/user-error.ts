/** Something that the person at the keyboard can mend. Shown as one line, without a stack. */
export class UserError extends Error {}
