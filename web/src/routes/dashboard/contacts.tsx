import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { ArrowUpRight, Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, memo, type ReactNode, Suspense, useCallback, useDeferredValue, useState } from 'react'
import type { ContactSort } from '#domain/contactRules.ts'
import type { Call } from '#domain/roles.ts'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import { ShortAddress } from '#web/components/Address.tsx'
import { Balance } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { type Column, DataTable } from '#web/components/DataTable.tsx'
import { Input } from '#web/components/Field.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { May } from '#web/components/May.tsx'
import { MaybeEmail } from '#web/components/MaybeEmail.tsx'
import { Pager } from '#web/components/Pager.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { Select } from '#web/components/Select.tsx'
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '#web/components/states.tsx'
import { RowTime } from '#web/components/Time.tsx'
import { shortAddress } from '#web/lib/format.ts'
import { flagsOf, textsOf } from '#web/lib/search.ts'
import { useDebounced } from '#web/lib/useDebounced.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { useWhileHere } from '#web/lib/useWhileHere.ts'
import { type Contact, contactBalancesQuery, contactQuery, contactsQuery } from '#web/queries/contacts.ts'
import { useAllowed } from '#web/queries/people.ts'

const subjects = ['send', 'edit', 'delete'] as const
type Act = (typeof subjects)[number]
const calls: Record<Act, Call> = { send: 'send', edit: 'contacts.change', delete: 'contacts.change' }

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

const sortNames: Record<ContactSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  az: 'Name, A to Z',
  za: 'Name, Z to A',
}

function ContactsPage() {
  const search = Route.useSearch()
  const isAllowed = useAllowed()
  const mayChange = isAllowed('contacts.change')
  const navigate = Route.useNavigate()
  // Search text may be personal, so it stays out of the URL.
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const wanted = useDebounced(text.trim())
  const [sort, setSort] = useState<ContactSort>('newest')
  const contacts = useQuery(contactsQuery({ search: wanted, sort, page, pageSize }))
  useTitle('Contacts')

  // Rows are rendered at low priority and only when they change, so that the field responds immediately.
  const data = useDeferredValue(contacts.data)
  const isStale = contacts.isPlaceholderData || data !== contacts.data || wanted !== text.trim()
  const last = Math.max(1, Math.ceil((data?.page.total ?? 0) / pageSize))
  if (data && !isStale && page > last) setPage(last) // the only contact of the last page was deleted
  const whileHere = useWhileHere()
  const close = () => whileHere(() => navigate({ search: {}, replace: true }))
  const add = () => navigate({ search: { add: true } })
  const act = useCallback((what: Act, contact: Contact) => navigate({ search: { [what]: contact.id } }), [navigate])
  const order = useCallback((next: string) => {
    setSort(next as ContactSort)
    setPage(1)
  }, [])
  const find = (next: string) => {
    setText(next)
    setPage(1)
  }

  return (
    <>
      <PageHeader title="Contacts">
        {mayChange && (
          <Button onClick={add}>
            <Plus aria-hidden="true" className="size-4" />
            Add Contact
          </Button>
        )}
      </PageHeader>
      <Card className="overflow-hidden">
        {data?.page.total === 0 && wanted === '' && !isStale ? (
          <EmptyState
            title="No contacts yet"
            action={mayChange && <Button onClick={add}>Add Your First Contact</Button>}
          >
            Keep the people you pay here. A policy group can limit its agents to chosen contacts.
          </EmptyState>
        ) : (
          <>
            {(data || text !== '') && (
              <div className="flex flex-wrap gap-3 border-hairline border-b px-5 py-3">
                <Input
                  type="search"
                  aria-label="Search contacts"
                  placeholder="Search contacts..."
                  className="max-w-80"
                  value={text}
                  onChange={(event) => find(event.target.value)}
                />
                {/* Replaces the table's header, for which a phone has no room. */}
                <Select
                  aria-label="Sort by"
                  className="max-w-80 md:hidden"
                  value={sort}
                  onChange={({ target }) => order(target.value)}
                  choices={Object.entries(sortNames)}
                />
              </div>
            )}
            {contacts.error && !contacts.data ? (
              <ErrorState
                error={contacts.error}
                fallback="Failed to load contacts"
                onRetry={() => contacts.refetch()}
              />
            ) : !data || (data.page.total === 0 && isStale) ? (
              <SkeletonRows rows={5} />
            ) : data.page.total === 0 ? (
              <EmptyState
                title="No contacts found"
                action={
                  <Button look="secondary" onClick={() => find('')}>
                    Clear search
                  </Button>
                }
              >
                No contact matches “{text.trim()}”.
              </EmptyState>
            ) : (
              <>
                <div aria-busy={isStale} className="transition-opacity aria-busy:opacity-60">
                  <ContactTable rows={data.contacts} onAct={act} sort={sort} onSort={order} />
                </div>
                {data.page.total > pageSize && <Pager page={data.page} noun="contacts" onPage={setPage} />}
              </>
            )}
          </>
        )}
      </Card>
      <Suspense>
        {search.add && mayChange && <ContactDialog onClose={close} />}
        {subjects
          .filter((what) => isAllowed(calls[what]))
          .map((what) => (
            <SubjectDialog key={what} what={what} contactId={search[what]} rows={data?.contacts} onClose={close} />
          ))}
      </Suspense>
    </>
  )
}

/** The dialog about a contact, which may be on another page. */
function SubjectDialog(props: {
  what: Act
  contactId: string | undefined
  rows: Contact[] | undefined
  onClose: () => void
}) {
  const { contactId, onClose } = props
  const { data: contact } = useQuery({
    ...contactQuery(contactId),
    initialData: () => props.rows?.find(({ id }) => id === contactId),
  })
  if (!contactId || !contact) return null
  switch (props.what) {
    case 'send':
      return <SendToContactDialog key={contact.id} contact={contact} onClose={onClose} />
    case 'edit':
      return <ContactDialog key={contact.id} contact={contact} onClose={onClose} />
    case 'delete':
      return <DeleteContactDialog contact={contact} onClose={onClose} />
  }
}

const ContactTable = memo(function ContactTable(props: {
  rows: Contact[]
  onAct: (what: Act, contact: Contact) => void
  sort: ContactSort
  onSort: (sort: string) => void
}) {
  const { rows, onAct } = props
  const isAllowed = useAllowed()
  // Balances of the addresses on Base, in one call for all visible rows.
  const ids = rows.filter(({ address }) => address !== null).map(({ id }) => id)
  const balances = useQuery({ ...contactBalancesQuery(ids), placeholderData: keepPreviousData })
  const isPending = balances.isPending || balances.isPlaceholderData
  const columns: Column<Contact>[] = [
    {
      header: 'Name',
      sorts: { falling: 'za', rising: 'az', first: 'rising' },
      cell: (contact) => (
        <span className="wrap-anywhere font-medium">
          <PaidTo contact={contact} />
        </span>
      ),
    },
    {
      header: 'Contact Methods',
      cell: ({ id, address, email, phone }) => (
        <div>
          {address && (
            <div className="flex flex-wrap items-center gap-x-2">
              <ShortAddress address={address} />
              <AddressBalance value={balances.data?.[id]?.balance} isPending={isPending} />
            </div>
          )}
          {email && (
            <p className="wrap-anywhere">
              <MaybeEmail text={email} />
            </p>
          )}
          {phone && <p>{phone}</p>}
        </div>
      ),
    },
    {
      header: 'Description',
      cell: (contact) => <span className="break-words text-muted">{contact.description || '–'}</span>,
    },
    {
      header: 'Created',
      sorts: { falling: 'newest', rising: 'oldest' },
      cell: (contact) => <RowTime iso={contact.createdAt} as="date" />,
    },
    {
      header: 'Actions',
      align: 'right',
      cell: (contact) => (
        <div className="flex justify-end">
          {isAllowed('send') && (
            <IconButton label={`Send to ${contact.name}`} onClick={() => onAct('send', contact)}>
              <ArrowUpRight aria-hidden="true" className="size-4" />
            </IconButton>
          )}
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
  if (!isAllowed('contacts.change')) columns.pop()
  const compact = (contact: Contact) => (
    <CompactContact contact={contact} onAct={onAct}>
      {contact.address && <AddressBalance value={balances.data?.[contact.id]?.balance} isPending={isPending} />}
    </CompactContact>
  )
  const sorting = { value: props.sort, onChange: props.onSort }
  return (
    <DataTable
      label="Contacts"
      columns={columns}
      rows={rows}
      keyOf={(contact) => contact.id}
      compact={compact}
      sorting={sorting}
    />
  )
})

/** The name, with a link to everything that was paid to the person, whichever way it went. */
const PaidTo = ({ contact: { id, name }, isCut = false }: { contact: Contact; isCut?: boolean }) => (
  <PaymentsLink
    search={{ figure: 'paid', contact: id }}
    title={`Everything paid to ${name}`}
    // The link itself is cut, so that it ends where it is seen to end.
    {...(isCut && {
      className: 'block truncate underline decoration-hairline underline-offset-3 hover:decoration-ink',
    })}
  >
    {name}
  </PaymentsLink>
)

/** A contact on a phone, in two lines: its name, then the balance and how to pay it. Edit shows all of it. */
function CompactContact(props: {
  contact: Contact
  onAct: (what: Act, contact: Contact) => void
  children: ReactNode
}) {
  const { contact, onAct } = props
  const { name, address, email, phone, description } = contact
  const notes = [email, phone, description].filter(Boolean)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-1">
      <div>
        <p className="font-medium">
          <PaidTo contact={contact} isCut />
        </p>
        {/* Notes of which little would be left are left out. */}
        <div className="flex h-lh flex-wrap items-baseline gap-x-3 overflow-hidden text-muted text-small">
          {address && <span className="shrink-0">{shortAddress(address)}</span>}
          <span className="shrink-0 empty:hidden">{props.children}</span>
          <p className="min-w-0 flex-[1_1_6rem] truncate empty:hidden">{notes.join(' · ')}</p>
        </div>
      </div>
      <May call="send">
        <IconButton label={`Send to ${name}`} className="ml-2" onClick={() => onAct('send', contact)}>
          <ArrowUpRight aria-hidden="true" className="size-4" />
        </IconButton>
      </May>
      <ActionMenu
        label={`Actions for ${name}`}
        items={[
          { label: 'Edit', icon: Pencil, call: 'contacts.change', onSelect: () => onAct('edit', contact) },
          {
            label: 'Delete',
            icon: Trash2,
            call: 'contacts.change',
            danger: true,
            onSelect: () => onAct('delete', contact),
          },
        ]}
      />
    </div>
  )
}

function AddressBalance(props: { value: string | undefined; isPending: boolean }) {
  if (props.value !== undefined) return <Balance value={props.value} className="text-muted" />
  return props.isPending ? <Skeleton className="h-4 w-20" /> : <span className="text-muted">Unavailable</span>
}
