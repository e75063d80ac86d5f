import type { Transaction } from './apiWords.ts'

/** Where the money of a transaction went. Sign and word are null for money that did not move. */
export type Movement = {
  sign: '−' | '+' | null
  word: 'Paid' | 'Held' | 'Awaiting Claim' | 'Was in payout' | 'Returned' | 'Withdrawn' | 'Received' | null
}

type Category = {
  label: string
  /** Its last step, before the name of the network. */
  done: string
  /** Null for a payment, whose state says where its money is. */
  movement: Movement | null
  /** It funds a payout, whose state it shows. */
  isPayout?: true
  /** Its agent hands it to a seller, who submits it. */
  isPurchase?: true
}

export const categories: Record<Transaction['category'], Category> = {
  contact: { label: 'Contact', done: 'Confirmed', movement: null },
  address: { label: 'Address', done: 'Confirmed', movement: null },
  x402: { label: 'Purchase', done: 'Settled', movement: null, isPurchase: true },
  payout: { label: 'Payout', done: 'Funded', movement: null, isPayout: true },
  // Moves money that the payout's own row counts as paid, so it has no sign.
  payout_withdraw: { label: 'Payout withdrawn', done: 'Withdrawn', movement: { sign: null, word: 'Withdrawn' } },
  payout_reclaim: { label: 'Payout reclaimed', done: 'Returned', movement: { sign: '+', word: 'Returned' } },
  deposit: { label: 'Deposit', done: 'Arrived', movement: { sign: '+', word: 'Received' } },
  withdrawal: { label: 'Withdrawal', done: 'Left', movement: { sign: '−', word: 'Withdrawn' } },
}
