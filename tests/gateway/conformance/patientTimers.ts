/** Preloaded by the conformance suites, whose scenarios give a server 0.5 to 1 s per reply on whatever machine it runs. */
import { patient } from '../../support/patience.ts'

const { setTimeout } = globalThis

globalThis.setTimeout = Object.assign(
  (callback: () => void, ms = 0, ...args: []) => setTimeout(callback, patient(ms), ...args),
  setTimeout,
)
