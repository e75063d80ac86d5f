/** Why Bursar signs nothing more for a wallet, and what its owner can do about it. */
export const haltKinds = ['code', 'books', 'foreign_transfer', 'ended_payment'] as const
export type HaltKind = (typeof haltKinds)[number]

const texts: Record<HaltKind, [what: string, next: string]> = {
  code: ['Its account has contract code.', 'Payments resume once the code is removed.'],
  books: [
    'The chain does not match our records of it.',
    'Payments resume once they match again. If that takes longer than an hour, please contact support.',
  ],
  foreign_transfer: [
    'Its session key signed a transfer that Bursar did not request.',
    'Revoke the session key now, then contact support.',
  ],
  ended_payment: ['The chain shows a transfer for a payment that had ended.', 'Please contact support.'],
}

/** What happened, and what to do next. An imported wallet has no session to revoke: its private key itself is in other hands. */
export function haltText(kind: HaltKind, walletKind: 'smart' | 'imported'): { what: string; next: string } {
  const [what, next] = texts[kind]
  if (kind !== 'foreign_transfer' || walletKind === 'smart') return { what, next }
  return {
    what: 'Its private key signed a transfer that Bursar did not request.',
    next: 'Move its money to another wallet now, then contact support.',
  }
}
