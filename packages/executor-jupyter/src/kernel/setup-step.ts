/** A change to a new Python kernel that makes it fit for programs. */
export interface SetupStep {
  /** Named by the notice `kernel-step-off` when the step fails. */
  readonly name: string
  /**
   * A Python program with its own names. It looks up everything that it needs before it changes anything, and raises an exception where
   * a version of ipykernel does not have it: the kernel then remains as it was.
   */
  readonly source: string
}
