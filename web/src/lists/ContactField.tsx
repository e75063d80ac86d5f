import { Combobox } from '@base-ui/react/combobox'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { ComboboxPopup } from '../components/ComboboxPopup.tsx'
import { Field, Input } from '../components/Field.tsx'
import { shortAddress } from '../lib/address.ts'
import { type Contact, contactsQuery } from '../queries/contacts.ts'

const shownAtOnce = 50

/** Chooses one contact, or none, by part of its name, address, email or phone number. `value`: its id. */
export function ContactField(props: { value: string | undefined; onChange: (contactId: string | undefined) => void }) {
  const { data: contacts = [], isPending } = useQuery(contactsQuery)
  return (
    <Field label="Contact">
      {(control) => (
        <Combobox.Root
          items={contacts}
          value={contacts.find(({ id }) => id === props.value) ?? null}
          onValueChange={(contact: Contact | null) => props.onChange(contact?.id)}
          itemToStringLabel={(contact: Contact) => contact.name}
          isItemEqualToValue={(a: Contact, b: Contact) => a.id === b.id}
          filter={(contact: Contact, query) => textOf(contact).includes(query.trim().toLowerCase())}
          limit={shownAtOnce}
        >
          <div className="relative">
            <Combobox.Input
              render={<Input className="pr-10" />}
              {...control}
              placeholder="All contacts"
              autoCapitalize="none"
              spellCheck={false}
            />
            <Combobox.Clear
              aria-label="Clear contact"
              className="absolute inset-y-0 right-0 flex w-10 items-center justify-center rounded-control text-muted hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </Combobox.Clear>
          </div>
          <ComboboxPopup<Contact> empty={isPending ? 'Loading contacts...' : 'No contact matches.'}>
            {({ name, address, email, phone }) => ({
              title: name,
              below: [address && shortAddress(address), email, phone].filter(Boolean).join(' · '),
            })}
          </ComboboxPopup>
        </Combobox.Root>
      )}
    </Field>
  )
}

const textOf = ({ name, address, email, phone }: Contact) =>
  [name, address, email, phone].filter(Boolean).join(' ').toLowerCase()
