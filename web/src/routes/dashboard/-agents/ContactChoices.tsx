import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Checkbox, ErrorBox, Input } from '#web/components/Field.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { plural } from '#web/lib/format.ts'
import { type Contact, contactsQuery } from '#web/queries/contacts.ts'

const shownAtOnce = 100
const searchFrom = 8 // contacts; shorter lists need no search

/** Chooses the contacts that the group may pay. A long list gets a search field. */
export function ContactChoices(props: { value: string[]; onChange: (contactIds: string[]) => void }) {
  const { value, onChange } = props
  const { data, error, refetch } = useQuery(contactsQuery)
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const chosen = new Set(value)

  if (error && !data)
    return (
      <div className="flex items-center gap-3">
        <ErrorBox>{messageOf(error, 'Failed to load contacts')}</ErrorBox>
        <Button look="secondary" onClick={() => refetch()}>
          Try again
        </Button>
      </div>
    )
  if (!data) return <p className="text-muted text-small">Loading contacts...</p>
  if (data.length === 0)
    return <p className="text-muted text-small">You have no contacts yet. Add some under Contacts and come back.</p>

  const found = data.filter((contact) => wanted === '' || textOf(contact).includes(wanted))
  return (
    <div className="space-y-2">
      {data.length >= searchFrom && (
        <Input
          type="search"
          aria-label="Search contacts"
          placeholder="Search contacts"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className="max-h-48 overflow-y-auto rounded-control border border-hairline px-3 py-1 *:break-all">
        {found.slice(0, shownAtOnce).map((contact) => (
          <Checkbox
            key={contact.id}
            checked={chosen.has(contact.id)}
            onChange={(event) =>
              onChange(event.target.checked ? [...value, contact.id] : value.filter((id) => id !== contact.id))
            }
            label={contact.name}
            hint={contact.address ?? contact.email ?? contact.phone}
          />
        ))}
        {found.length === 0 && <p className="py-1 text-muted text-small">No contact matches.</p>}
      </div>
      <p className="text-muted text-small" role="status">
        {plural(data.length, 'contact')}, {value.length.toLocaleString('en-US')} chosen
        {found.length > shownAtOnce && `; the first ${shownAtOnce} are shown, search for others`}
      </p>
    </div>
  )
}

const textOf = ({ name, address, email, phone }: Contact) => `${name} ${address} ${email} ${phone}`.toLowerCase()
