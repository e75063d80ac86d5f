/**
 * What operators have stopped for all accounts. Each mode includes the previous ones.
 * new: no new payments. sign: session keys do not sign and operator keys do not rotate them; signed work is still delivered.
 * all: nothing is sent to the chain, so there are no claims, reclaims or owner actions either.
 */
export const stopModes = ['none', 'new', 'sign', 'all'] as const
export type StopMode = (typeof stopModes)[number]

export const stopsNewPayments = (mode: StopMode): boolean => mode !== 'none'
export const stopsSigning = (mode: StopMode): boolean => mode === 'sign' || mode === 'all'
export const stopsDelivery = (mode: StopMode): boolean => mode === 'all'
/** Whether `mode` stops less than `other`. */
export const isWeaker = (mode: StopMode, other: StopMode): boolean => stopModes.indexOf(mode) < stopModes.indexOf(other)

/** Nothing is signed based on a reading of the mode that is older than this. Operators are promised 10 seconds. */
export const stopReadingMs = 5_000 // 5 seconds
/** A reading this old is refreshed in the background, so that no payment waits for it. */
export const stopRefreshMs = 2_500 // 2.5 seconds
