/**
 * What operators have stopped for all accounts; each mode includes those before it.
 * new: no new payments. sign: no session key signs, and none is replaced by an operator key; what is signed is delivered.
 * all: nothing is sent to the chain either, so no claims, reclaims and owner actions.
 */
export const stopModes = ['none', 'new', 'sign', 'all'] as const
export type StopMode = (typeof stopModes)[number]

export const stopsNewPayments = (mode: StopMode): boolean => mode !== 'none'
export const stopsSigning = (mode: StopMode): boolean => mode === 'sign' || mode === 'all'
export const stopsDelivery = (mode: StopMode): boolean => mode === 'all'
/** Stops less than `other`. */
export const isWeaker = (mode: StopMode, other: StopMode): boolean => stopModes.indexOf(mode) < stopModes.indexOf(other)

/** Nothing is signed on a reading of the mode that began longer ago. Operators are promised 10 seconds. */
export const stopReadingMs = 5_000 // 5 seconds
/** From this age on it is read again in the background, so that no payment waits for it. */
export const stopRefreshMs = 2_500 // 2.5 seconds
