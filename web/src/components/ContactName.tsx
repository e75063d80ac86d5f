import { useQuery } from '@tanstack/react-query'
import { contactNameQuery } from '../queries/contacts.ts'

/** The name of the contact with this address, email or phone number; null while it is not known, and if there is none. */
export const useContactName = (value: string | null | undefined): string | null =>
  useQuery(contactNameQuery(value)).data ?? null

/** The contact's name, or else `children`. */
export function ContactName(props: { value: string | null; children?: React.ReactNode }) {
  const name = useContactName(props.value)
  return name ? <span className="wrap-anywhere">{name}</span> : props.children
}
