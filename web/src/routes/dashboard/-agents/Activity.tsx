import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { linkClass } from '#web/components/Links.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { RowTime, useRowTimes } from '#web/components/Time.tsx'
import { Counterparty, TransactionAmount } from '#web/components/TransactionParts.tsx'
import { useRowMotion } from '#web/components/useRowMotion.ts'
import { WhitelistContact } from '#web/components/WhitelistContact.tsx'
import { queryClient } from '#web/lib/queryClient.ts'
import { refreshIn } from '#web/lists/refreshIn.ts'
import { groupsQuery } from '#web/queries/agents.ts'
import { awaitsApproval, isMoving, movementOf, type Transaction, transactionsQuery } from '#web/queries/transactions.ts'
import { RuleLink } from './RuleLink.tsx'

const shownRows = 10
const waitingMs = 2_000 // 2 seconds

/**
 * What an agent asked for, paid and was refused, newest first. Until there is a payment, the list is read every two seconds.
 * `isPlain`: without links, for where leaving the page would lose something.
 */
export function Activity(props: { agentId: string; isPlain?: boolean }) {
  const { agentId, isPlain = false } = props
  const { data, error, refetch } = useQuery({
    ...transactionsQuery({ sender: agentId, page: 1, pageSize: shownRows }),
    refetchInterval: ({ state: { data } }) => (hasPaid(data?.rows) ? refreshIn(data?.rows, isMoving) : waitingMs),
  })
  useRefreshedGroups(data?.rows)
  const list = useRowMotion<HTMLUListElement>(data?.rows)
  const { rowTimes, rowTime } = useRowTimes()
  if (!data)
    return error ? (
      <ErrorState error={error} fallback="Failed to load payments" onRetry={() => refetch()} />
    ) : (
      <SkeletonRows rows={2} />
    )
  const { rows, page } = data
  return (
    <>
      {/* Rows that arrive while the person watches are announced. */}
      <ul
        ref={list}
        {...rowTimes}
        className="divide-y divide-hairline text-small"
        data-testid="activity"
        aria-live="polite"
      >
        {rows.map((transaction) => (
          <Entry key={transaction.id} transaction={transaction} isLink={!isPlain}>
            {!isPlain && <EntryLinks transaction={transaction} agentId={agentId} />}
          </Entry>
        ))}
      </ul>
      {rowTime}
      {!hasPaid(rows) && (
        <p className="flex items-center gap-2 text-muted text-small">
          <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-green" />
          Waiting for the first payment: it appears here.
        </p>
      )}
      {page.total > rows.length && !isPlain && (
        <p className="mt-2 text-small">
          <Link to="/dashboard/transactions" search={{ sender: agentId }} className={linkClass}>
            All {page.total.toLocaleString('en-US')} entries, with refusals and returns
          </Link>
        </p>
      )}
    </>
  )
}

/** Reads the budgets and counts of the page again when the rows have changed, so that both say the same. */
function useRefreshedGroups(rows: Transaction[] | undefined): void {
  const shown = rows?.map(({ id, status }) => `${id} ${status}`).join()
  const before = useRef<string>(undefined)
  useEffect(() => {
    if (before.current !== undefined && before.current !== shown)
      void queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })
    before.current = shown
  }, [shown])
}

/** Whether one of a full page of rows, or of all rows, is a payment that was not refused. */
const hasPaid = (rows: Transaction[] | undefined) =>
  rows === undefined || rows.length === shownRows || rows.some(({ refusal }) => refusal === null)

/** What happened, in a word. */
function wordOf(transaction: Transaction): string {
  if (transaction.refusal) return 'Refused'
  if (awaitsApproval(transaction)) return 'Asked you'
  const { word } = movementOf(transaction)
  return word === 'Held' ? 'On its way' : (word ?? 'Not paid')
}

function Entry(props: { transaction: Transaction; isLink: boolean; children: ReactNode }) {
  const { transaction } = props
  const { refusal, errorMessage } = transaction
  const notes = notesLine(transaction)
  const what = (
    <>
      <span className="font-medium">{wordOf(transaction)}</span> <TransactionAmount transaction={transaction} /> to{' '}
      <Counterparty transaction={transaction} />
    </>
  )
  return (
    <li className="py-2 first:pt-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="wrap-anywhere min-w-0">
          {props.isLink ? (
            <Link
              to="/dashboard/transactions"
              search={{ detail: transaction.id }}
              className="rounded-sm hover:underline"
            >
              {what}
            </Link>
          ) : (
            what
          )}
        </span>
        <span className="text-muted">
          <RowTime iso={transaction.createdAt} as="feed" />
        </span>
      </div>
      {notes && <p className="wrap-anywhere text-muted">{notes}</p>}
      {errorMessage && <p className="wrap-anywhere">{errorMessage}</p>}
      {refusal?.next && <p className="text-muted">{refusal.next}</p>}
      <div>{props.children}</div>
    </li>
  )
}

function EntryLinks(props: { transaction: Transaction; agentId: string }) {
  const { refusal, approvalId, policyGroupId, contactId } = props.transaction
  return (
    <>
      <p className="flex flex-wrap gap-x-4 empty:hidden">
        {refusal && (
          <span>
            Rule: <RuleLink rule={refusal.rule} agentId={props.agentId} />
          </span>
        )}
        {approvalId && (
          <Link to="/dashboard/approvals/$approvalId" params={{ approvalId }} className={linkClass}>
            Approval
          </Link>
        )}
      </p>
      <WhitelistContact rule={refusal?.rule ?? null} groupId={policyGroupId} contactId={contactId} />
    </>
  )
}
