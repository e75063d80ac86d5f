/** Delays of the benchmark in ms, one way and back, for a user in Sydney and a database in Frankfurt. */
export const delays = {
  /** From the Worker, or from an object, to D1. */
  d1: 200,
  /** From the Worker to an object. */
  object: 150,
  /** From an object to another, which is in its region. */
  objectToObject: 5,
  /** From an object to the node. */
  node: 80,
}
