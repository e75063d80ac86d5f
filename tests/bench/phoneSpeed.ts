/**
 * The CPU of a phone, for benches of pages. It takes four times as long as an idle cloud machine for the same script. A bench
 * times that script here and slows Chromium down by what is missing, so a slow or busy machine gives about the same figures.
 */
const phoneWorkMs = 520 // half a second for workMs()

/** How many times slower Chromium has to be made; below 1, this machine is slower than the phone. */
export const slowDownToPhone = () => phoneWorkMs / workMs()

/** Time of a fixed amount of script. */
function workMs(): number {
  const startedAt = performance.now()
  let sum = 0
  for (let i = 0; i < 30_000_000; i++) sum = (sum * 31 + i) | 0
  if (sum === 1) throw new Error('unreachable; keeps the loop')
  return performance.now() - startedAt
}
