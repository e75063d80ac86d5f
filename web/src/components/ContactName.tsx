import { useQuery } from '@tanstack/react-query'
import { contactNameQuery } from '../queries/contacts.ts'

/**
 * The name of the contact with this address, email or phone number; null while it is not known, and if there is none.
 * Without `asks`, only what is known already: the overview opens with few calls.
 */
export function useContactName(value: string | null | undefined, { asks = true } = {}): string | null {
  return useQuery({ ...contactNameQuery(value), enabled: asks && Boolean(value) }).data ?? null
}

export function ContactName(props: { value: string | null }) {
  const name = useContactName(props.value)
  return name && <span className="wrap-anywhere">{name}</span>
}
