import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { ShortAddress } from '../../components/Address.tsx'
import { Button } from '../../components/Button.tsx'
import { Card, PageHeader } from '../../components/Card.tsx'
import { type Column, DataTable } from '../../components/DataTable.tsx'
import { Input } from '../../components/Field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../components/states.tsx'
import { Time } from '../../components/Time.tsx'
import { useTitle } from '../../lib/hooks.ts'
import { defined, flagOf } from '../../lib/search.ts'
import { type Contact, contactsQuery } from '../../queries/contacts.ts'

export const Route = createFileRoute('/dashboard/contacts')({
  validateSearch: (search: Record<string, unknown>) => defined({ add: flagOf(search.add) }),
  component: ContactsPage,
})

const AddContactDialog = lazy(() => import('./-contacts/AddContactDialog.tsx'))

const columns: Column<Contact>[] = [
  { header: 'Name', cell: (contact) => <span className="break-words font-medium">{contact.name}</span> },
  { header: 'Contact Methods', cell: (contact) => <Methods contact={contact} /> },
  {
    header: 'Description',
    cell: (contact) => <span className="break-words text-muted">{contact.description || '–'}</span>,
  },
  { header: 'Created', cell: (contact) => <Time iso={contact.createdAt} as="date" /> },
]

function ContactsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  // People's names and addresses stay out of the URL.
  const [text, setText] = useState('')
  const contacts = useQuery(contactsQuery)
  useTitle('Contacts')

  const wanted = text.trim().toLowerCase()
  const rows = contacts.data?.filter(({ name, address, email, phone, description }) =>
    [name, address, email, phone, description].some((part) => part?.toLowerCase().includes(wanted)),
  )
  const add = () => navigate({ search: { add: true } })

  return (
    <>
      <PageHeader title="Contacts">
        <Button onClick={add}>
          <Plus aria-hidden="true" className="size-4" />
          Add Contact
        </Button>
      </PageHeader>
      <Card className="overflow-hidden">
        {rows && contacts.data ? (
          contacts.data.length === 0 ? (
            <EmptyState title="No contacts yet" action={<Button onClick={add}>Add Your First Contact</Button>}>
              Keep the people you pay here. Policy groups can allow agents to pay chosen contacts only.
            </EmptyState>
          ) : (
            <>
              <div className="border-hairline border-b p-3">
                <Input
                  type="search"
                  aria-label="Search contacts"
                  placeholder="Search contacts..."
                  className="max-w-80"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                />
              </div>
              {rows.length === 0 ? (
                <EmptyState
                  title="No contacts found"
                  action={
                    <Button look="secondary" onClick={() => setText('')}>
                      Clear search
                    </Button>
                  }
                >
                  No contact matches “{text.trim()}”.
                </EmptyState>
              ) : (
                <DataTable label="Contacts" columns={columns} rows={rows} keyOf={(contact) => contact.id} />
              )}
            </>
          )
        ) : contacts.error ? (
          <ErrorState error={contacts.error} fallback="Failed to load contacts" onRetry={() => contacts.refetch()} />
        ) : (
          <SkeletonRows rows={5} />
        )}
      </Card>
      <Suspense>{search.add && <AddContactDialog onClose={() => navigate({ search: {} })} />}</Suspense>
    </>
  )
}

function Methods(props: { contact: Contact }) {
  const { address, email, phone } = props.contact
  return (
    <div>
      {address && <ShortAddress address={address} />}
      {email && <p className="break-all">{email}</p>}
      {phone && <p>{phone}</p>}
    </div>
  )
}
