/** A list of objects that can be collected, in the order in which they were added. */
export class WeakMembers<Member extends WeakKey> {
  #members: WeakRef<Member>[] = []
  /** At this length those that were collected are left out: it is twice what was there then. */
  #sweepAt = 1_000

  /** Adds a member that was not added before. */
  add(member: Member): void {
    this.#members.push(new WeakRef(member))
    if (this.#members.length < this.#sweepAt) return
    this.#members = this.#members.filter((each) => each.deref() !== undefined)
    this.#sweepAt = Math.max(1_000, 2 * this.#members.length)
  }

  *[Symbol.iterator](): Generator<Member> {
    for (const each of this.#members) {
      const member = each.deref()
      if (member !== undefined) yield member
    }
  }
}
