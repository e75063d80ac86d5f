import type { Kind } from '#domain/kinds/kind.ts'
import { kindNames, kinds } from '#domain/kinds/kinds.ts'

/**
 * Conditions on a payment's kind, in SQL. A partial index serves only a condition that is written like its own, so both take
 * it from here.
 */
function condition(test: (kind: Kind) => boolean) {
  const [yes, no] = [kindNames.filter((name) => test(kinds[name])), kindNames.filter((name) => !test(kinds[name]))]
  const list = yes.map((name) => `'${name}'`)
  return (column: string) =>
    yes.length === 1 ? `${column} = ${list}` : no.length === 1 ? `${column} <> '${no[0]}'` : `${column} IN (${list})`
}

/** Our Relayer submits it. */
export const isRelayed = condition(({ submittedBy }) => submittedBy === 'relayer')
/** A seller submits it. */
export const isSellerSubmitted = condition(({ submittedBy }) => submittedBy === 'seller')
/** Its recipient is an address. */
export const isToAddress = condition(({ paidTo }) => paidTo === 'address')
/** Its recipient is a seller: a host with an address. */
export const isToSeller = condition(({ paidTo }) => paidTo === 'seller')
/** Its address identifies the recipient, or is part of it. */
export const hasOwnAddress = condition(({ paidTo }) => paidTo !== 'emailOrPhone')
/** It funds a payout. */
export const isFunding = condition(({ transfer }) => transfer === 'funded')

/** SQL: the expression of each payment's kind, from the kind's answer. */
export const byKind = (column: string, expression: (kind: Kind) => string): string =>
  `CASE ${column} ${kindNames.map((name) => `WHEN '${name}' THEN ${expression(kinds[name])}`).join(' ')} END`
