// The invariants under the name by which the tests of this room know them. Owns nothing.

export { brokenInvariants, REPAIRS } from "../invariants.test-kit.ts";
