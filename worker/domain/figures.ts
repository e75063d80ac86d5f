import { dayMs } from './time.ts'

/**
 * The figures that count payments. Each is defined here once: History sums it by this definition, the list behind it shows
 * exactly its payments, one row for each, and that list's sum and CSV add up to it.
 */

/** Where the money of a payment is. One that waits for approval, or was not approved, is in no figure. */
export const moneyStates = [
  /** Accepted, and still in the wallet. */
  'held',
  /** The same of a payout, whose recipient can't claim it yet. */
  'creating',
  /** In a payout that nobody has claimed. */
  'unclaimed',
  /** With its recipient: spent. */
  'confirmed',
  /** A payout that came back. Its budget gets it back when the block is final. */
  'returning',
  'returned',
  /** Never left, or never will. */
  'failed',
  'refused',
] as const
export type MoneyState = (typeof moneyStates)[number]

/** How the recipient was named. */
export const paymentMethods = ['address', 'contact', 'email', 'phone', 'x402'] as const
export type PaymentMethod = (typeof paymentMethods)[number]

/** `sum`: whether it adds up what was spent, or all amounts. */
type Figure = {
  /** The name of its list. */
  name: string
  states: readonly MoneyState[]
  method?: PaymentMethod
  /** Only payments that are younger. */
  withinMs?: number
  sum: 'spent' | 'amount'
}

const inFlight = ['held', 'creating'] as const
const open = [...inFlight, 'unclaimed'] as const
/** Money that was paid, or can be claimed; not what is on its way to somebody's address. */
const paidOrClaimable = ['confirmed', 'creating', 'unclaimed'] as const
const by = (method: PaymentMethod, name: string): Figure => ({ name, states: paidOrClaimable, method, sum: 'amount' })

export const figures = {
  payments: { name: 'Payments', states: moneyStates, sum: 'spent' },
  accepted: {
    name: 'Payments, without refused ones',
    states: moneyStates.filter((state) => state !== 'refused'),
    sum: 'spent',
  },
  completed: { name: 'Completed payments', states: ['confirmed'], sum: 'spent' },
  ended: { name: 'Completed and failed payments', states: ['confirmed', 'failed', 'refused'], sum: 'spent' },
  failed_24h: { name: 'Failed in the last 24 hours', states: ['failed', 'refused'], withinMs: dayMs, sum: 'amount' },
  paid: { name: 'Payments that were made', states: [...open, 'confirmed'], sum: 'amount' },
  in_flight: { name: 'Payments on their way', states: inFlight, sum: 'amount' },
  unclaimed: { name: 'Payouts not claimed yet', states: ['creating', 'unclaimed'], sum: 'amount' },
  holding: { name: 'Payments that hold budget', states: [...open, 'returning'], sum: 'amount' },
  by_address: by('address', 'Paid to an address'),
  by_contact: by('contact', 'Paid to a contact'),
  by_email: by('email', 'Paid by email'),
  by_phone: by('phone', 'Paid by phone'),
  by_x402: by('x402', 'Purchases'),
} as const satisfies Record<string, Figure>
export type FigureName = keyof typeof figures
export const figureNames = Object.keys(figures) as [FigureName, ...FigureName[]]
export const figureOf = (name: FigureName): Figure => figures[name]

/** The states and the method that a figure counts, apart from time. */
export const counts = (name: FigureName, payment: { state: MoneyState; method: PaymentMethod }): boolean => {
  const { states, method } = figureOf(name)
  return states.includes(payment.state) && (method === undefined || method === payment.method)
}
