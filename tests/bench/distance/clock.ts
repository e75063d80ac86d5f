/** A clock for the whole isolate. Imported before the Worker, which may keep `Date.now` when it is loaded. */
const realNow = Date.now
let ahead = 0
Date.now = () => realNow() + ahead

export const aheadMs = (): number => ahead

export function moveAhead(ms: number): void {
  ahead += ms
}
