/** Why a bench could not be run here: what it needs is not there. */
export class Skipped extends Error {}
