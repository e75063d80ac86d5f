import type { Transaction } from '#web/queries/transactions.ts'
import { AddMethod } from '../-contacts/AddMethod.tsx'
import { contactMethodOf } from './contactMethod.ts'

/** Adds the recipient of a transaction to the contacts. */
export default function AddAsContact(props: { transaction: Transaction; onClose: () => void }) {
  const method = contactMethodOf(props.transaction)
  return method && <AddMethod method={method} onClose={props.onClose} />
}
