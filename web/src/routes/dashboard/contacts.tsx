import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { ArrowUpRight, Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, memo, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { ShortAddress } from '#web/components/Address.tsx'
import { Balance } from '#web/components/Amount.tsx'
import { Button, IconButton } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { type Column, DataTable } from '#web/components/DataTable.tsx'
import { Input } from '#web/components/Field.tsx'
import { Pager } from '#web/components/Pager.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { flagsOf, textsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Contact, contactBalancesQuery, contactsQuery } from '#web/queries/contacts.ts'

const subjects = ['send', 'edit', 'delete'] as const
type Act = (typeof subjects)[number]

const read = (search: Record<string, unknown>) => ({ ...flagsOf(search, ['add']), ...textsOf(search, subjects) })

export const Route = createFileRoute('/dashboard/contacts')({
  validateSearch: read,
  component: ContactsPage,
})

const ContactDialog = lazy(async () => ({ default: (await import('./-contacts/ContactDialogs.tsx')).ContactDialog }))
const DeleteContactDialog = lazy(async () => ({
  default: (await import('./-contacts/ContactDialogs.tsx')).DeleteContactDialog,
}))
const SendToContactDialog = lazy(() => import('./-contacts/SendToContactDialog.tsx'))

const pageSize = 25

function ContactsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  // Search text may be personal, so it stays out of the URL.
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const contacts = useQuery(contactsQuery)
  useTitle('Contacts')

  // Rows are rendered at low priority and only when they change, so that the field responds immediately.
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const found = useMemo(
    () =>
      contacts.data?.filter(({ name, address, email, phone, description }) =>
        [name, address, email, phone, description].some((part) => part?.toLowerCase().includes(wanted)),
      ),
    [contacts.data, wanted],
  )
  const number = Math.min(useDeferredValue(page), Math.max(1, Math.ceil((found?.length ?? 0) / pageSize)))
  const rows = useMemo(() => found?.slice((number - 1) * pageSize, number * pageSize), [found, number])
  const close = () => navigate({ search: {}, replace: true })
  const add = () => navigate({ search: { add: true } })
  const act = useCallback((what: Act, contact: Contact) => navigate({ search: { [what]: contact.id } }), [navigate])
  const subject = (what: Act) => contacts.data?.find(({ id }) => id === search[what])
  const [sending, editing, deleting] = subjects.map(subject)

  return (
    <>
      <PageHeader title="Contacts">
        <Button onClick={add}>
          <Plus aria-hidden="true" className="size-4" />
          Add Contact
        </Button>
      </PageHeader>
      <Card className="overflow-hidden">
        {found && rows && contacts.data ? (
          contacts.data.length === 0 ? (
            <EmptyState title="No contacts yet" action={<Button onClick={add}>Add Your First Contact</Button>}>
              Keep the people you pay here. A policy group can limit its agents to chosen contacts.
            </EmptyState>
          ) : (
            <>
              <div className="border-hairline border-b px-5 py-3">
                <Input
                  type="search"
                  aria-label="Search contacts"
                  placeholder="Search contacts..."
                  className="max-w-80"
                  value={text}
                  onChange={(event) => {
                    setText(event.target.value)
                    setPage(1)
                  }}
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
                <>
                  <ContactTable rows={rows} onAct={act} />
                  {found.length > pageSize && (
                    <Pager
                      page={{ number, size: pageSize, total: found.length }}
                      noun="contacts"
                      onPage={(next) => setPage(next)}
                    />
                  )}
                </>
              )}
            </>
          )
        ) : contacts.error ? (
          <ErrorState error={contacts.error} fallback="Failed to load contacts" onRetry={() => contacts.refetch()} />
        ) : (
          <SkeletonRows rows={5} />
        )}
      </Card>
      <Suspense>
        {search.add && <ContactDialog onClose={close} />}
        {editing && <ContactDialog key={editing.id} contact={editing} onClose={close} />}
        {deleting && <DeleteContactDialog contact={deleting} onClose={close} />}
        {sending && <SendToContactDialog key={sending.id} contact={sending} onClose={close} />}
      </Suspense>
    </>
  )
}

const ContactTable = memo(function ContactTable(props: {
  rows: Contact[]
  onAct: (what: Act, contact: Contact) => void
}) {
  const { rows, onAct } = props
  // Balances of the addresses on Base, in one call for all visible rows.
  const ids = rows.filter(({ address }) => address !== null).map(({ id }) => id)
  const balances = useQuery({ ...contactBalancesQuery(ids), placeholderData: keepPreviousData })
  const columns: Column<Contact>[] = [
    { header: 'Name', cell: (contact) => <span className="break-words font-medium">{contact.name}</span> },
    {
      header: 'Contact Methods',
      cell: ({ id, address, email, phone }) => (
        <div>
          {address && (
            <div className="flex flex-wrap items-center gap-x-2 max-md:justify-end">
              <ShortAddress address={address} />
              <AddressBalance
                value={balances.data?.[id]?.balance}
                isPending={balances.isPending || balances.isPlaceholderData}
              />
            </div>
          )}
          {email && <p className="wrap-anywhere">{email}</p>}
          {phone && <p>{phone}</p>}
        </div>
      ),
    },
    {
      header: 'Description',
      cell: (contact) => <span className="break-words text-muted">{contact.description || '–'}</span>,
    },
    { header: 'Created', cell: (contact) => <Time iso={contact.createdAt} as="date" /> },
    {
      header: 'Actions',
      align: 'right',
      cell: (contact) => (
        <div className="flex justify-end">
          <IconButton label={`Send to ${contact.name}`} onClick={() => onAct('send', contact)}>
            <ArrowUpRight aria-hidden="true" className="size-4" />
          </IconButton>
          <IconButton label={`Edit ${contact.name}`} onClick={() => onAct('edit', contact)}>
            <Pencil aria-hidden="true" className="size-4" />
          </IconButton>
          <IconButton label={`Delete ${contact.name}`} onClick={() => onAct('delete', contact)}>
            <Trash2 aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      ),
    },
  ]
  return <DataTable label="Contacts" columns={columns} rows={rows} keyOf={(contact) => contact.id} />
})

function AddressBalance(props: { value: string | undefined; isPending: boolean }) {
  if (props.value !== undefined) return <Balance value={props.value} className="text-muted" />
  return props.isPending ? <Skeleton className="h-4 w-20" /> : <span className="text-muted">Unavailable</span>
}
