import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { contactNamesQuery } from '../queries/contacts.ts'
import type { Transaction } from '../queries/transactions.ts'

type Names = Record<string, string | null>
const KnownNames = createContext<Names>({})

/** Names of the recipients of these payments, where a payment to an address names no contact itself. They come later. */
export function useContactNames(transactions: Transaction[]): Names {
  const known = useContext(KnownNames)
  const unknown = transactions.flatMap(({ category, contact, toAddress }) =>
    category === 'address' && contact === null && toAddress !== null && !(toAddress.toLowerCase() in known)
      ? [toAddress.toLowerCase()]
      : [],
  )
  const { data } = useQuery(contactNamesQuery([...new Set(unknown)].sort()))
  return data ? { ...known, ...data } : known
}

/** Shows the recipients of these payments under their names. */
export function ContactNames(props: { of: Transaction[]; children: ReactNode }) {
  return <KnownNames value={useContactNames(props.of)}>{props.children}</KnownNames>
}

export const useContactName = (transaction: Transaction) => contactNameOf(transaction, useContext(KnownNames))

/** The name under which the payment was made, or that of a contact with its address; null if there is none. */
export function contactNameOf({ category, contact, toAddress }: Transaction, names: Names): string | null {
  if (contact !== null) return contact.name
  return (category === 'address' && toAddress !== null && names[toAddress.toLowerCase()]) || null
}
