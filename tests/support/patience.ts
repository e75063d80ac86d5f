/**
 * Time limits of tests, which follow the machine: on a slow one, everything that a test waits for may take longer. What the
 * product promises is never multiplied; tests of promised times have a stage of their own (tests/run/stages.ts).
 */

/** Set by `npm test` to twice what tests/run/machine.ts measured: from 2 to 16. */
export const factorVariable = 'MACHINE_FACTOR'

export const machineFactor = Number(globalThis.process?.env[factorVariable] ?? 1)

/** `ms` on a quiet machine. */
export const patient = (ms: number): number => Math.round(ms * machineFactor)

/** The option of Playwright and Vitest for `ms` on a quiet machine. */
export const within = (ms: number): { timeout: number } => ({ timeout: patient(ms) })
