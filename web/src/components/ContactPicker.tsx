import { Combobox } from '@base-ui/react/combobox'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, X } from 'lucide-react'
import { useState } from 'react'
import { searchTextOf } from '#domain/readers/text.ts'
import { messageOf } from '../lib/apiError.ts'
import { shortAddress } from '../lib/format.ts'
import { useDebounced } from '../lib/useDebounced.ts'
import { type Contact, contactQuery, contactsQuery, rememberContact } from '../queries/contacts.ts'
import { Button } from './Button.tsx'
import { ComboboxPopup } from './ComboboxPopup.tsx'
import { Field, Input } from './Field.tsx'

const shownAtOnce = 50
const aside = 'absolute inset-y-0 right-0 flex w-10 items-center justify-center text-muted'

/**
 * Picks a contact by part of its name, address, email or phone number. If `optional`, the choice can be cleared and Enter
 * in an empty field is left to the form.
 */
export function ContactPicker(props: {
  /** The contact's id; undefined if none is chosen. */
  value: string | undefined
  error?: string | undefined
  optional?: boolean
  onChange: (contact: Contact | undefined) => void
}) {
  const { optional = false } = props
  const [typed, setTyped] = useState('')
  const search = useDebounced(typed)
  const contacts = useQuery(contactsQuery({ search, pageSize: shownAtOnce }))
  const chosen = useQuery(contactQuery(props.value)).data ?? null
  // Rows of an earlier search are shown until those of this one arrive, as far as they match.
  const found = contacts.data?.contacts ?? []
  const isLoading = contacts.isFetching || search !== typed
  const loading = isLoading && !found.some((contact) => matches(contact, typed)) ? 'Loading contacts...' : undefined
  const isEmpty = search === '' && contacts.data?.page.total === 0
  const hint = isEmpty ? 'You have no contacts yet. Add some under Contacts.' : undefined
  if (contacts.isError && !contacts.data)
    return (
      <div role="alert" className="flex flex-wrap items-center justify-between gap-3 text-red text-small">
        {messageOf(contacts.error, 'Failed to load contacts')}
        <Button look="secondary" onClick={() => contacts.refetch()}>
          Try again
        </Button>
      </div>
    )
  return (
    <Field label="Contact" error={props.error} hint={optional ? undefined : (hint ?? loading)}>
      {(control) => (
        <Combobox.Root
          items={found}
          value={chosen}
          onValueChange={(contact: Contact | null) => {
            if (contact) rememberContact(contact)
            props.onChange(contact ?? undefined)
          }}
          onInputValueChange={(text, { reason }) => setTyped(reason === 'input-change' ? text.trim() : '')}
          itemToStringLabel={(contact: Contact) => contact.name}
          isItemEqualToValue={(a: Contact, b: Contact) => a.id === b.id}
          filter={matches}
          limit={shownAtOnce}
          autoHighlight={!optional}
        >
          <div className="relative">
            <Combobox.Input
              render={<Input className="pr-10" />}
              {...control}
              placeholder={optional ? 'All contacts' : 'Name, address or email'}
              autoCapitalize="none"
              spellCheck={false}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !loading || optional) return
                // Contacts are still loading: Enter would clear the text and submit the form without a contact.
                event.preventDefault()
                event.preventBaseUIHandler()
              }}
            />
            {optional ? (
              <Combobox.Clear aria-label="Clear contact" className={`${aside} rounded-control hover:text-ink`}>
                <X aria-hidden="true" className="size-4" />
              </Combobox.Clear>
            ) : (
              <Combobox.Trigger aria-label="Show contacts" tabIndex={-1} className={aside}>
                <ChevronDown aria-hidden="true" className="size-4" />
              </Combobox.Trigger>
            )}
          </div>
          <ComboboxPopup<Contact> empty={loading ?? 'No contact matches.'}>
            {(contact) => ({ title: contact.name, below: methodsInWords(contact) })}
          </ComboboxPopup>
        </Combobox.Root>
      )}
    </Field>
  )
}

const matches = ({ name, address, email, phone, description }: Contact, text: string) =>
  searchTextOf(name, address, email, phone, description).includes(searchTextOf(text.trim()))

const methodsInWords = ({ address, email, phone }: Contact) =>
  [address && shortAddress(address), email, phone].filter(Boolean).join(' · ')
