import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { madeDays } from '#domain/events.ts'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { May } from '#web/components/May.tsx'
import { EmptyState, ErrorState, Loaded, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { plural } from '#web/lib/format.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { ShowOlder } from '#web/lists/ShowOlder.tsx'
import { type Change, changesQuery, endChanges, madeQuery } from '#web/queries/changes.ts'
import { linkOfSubject } from '../-notices/links.ts'
import { actorText, endedText } from './words.ts'

/** After a stolen session: what was added and still acts, with one button that ends it. Below it, the history of changes. */
export default function ChangesPage() {
  useTitle('Changes')
  return (
    <>
      <PageHeader title="Changes" />
      <div className="grid grid-cols-1 gap-5">
        <May call="review.made">
          <MadeCard />
        </May>
        <HistoryCard />
      </div>
    </>
  )
}

const heading = 'px-5 pt-5 font-semibold'

function MadeCard() {
  const made = useQuery(madeQuery)
  return (
    <Card aria-labelledby="made" className="overflow-hidden">
      <h2 id="made" className={heading}>
        Added in the last {madeDays} days
      </h2>
      <Loaded query={made} fallback="Failed to load what was added" loading={<SkeletonRows rows={3} />}>
        {({ changes }) =>
          changes.length === 0 ? (
            <EmptyState title="Nothing to end">
              No webhook, agent, credential, app or permission that was added in the last {madeDays} days still acts.
            </EmptyState>
          ) : (
            <MadeList changes={changes} />
          )
        }
      </Loaded>
    </Card>
  )
}

function MadeList({ changes }: { changes: Change[] }) {
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set())
  const [isAsking, setAsking] = useState(false)
  const ending = changes.filter(({ id }) => !kept.has(id))
  const toggle = (id: number) =>
    setKept((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <>
      <p className="px-5 pt-1 pb-3 text-muted">
        Webhooks, agents, credentials, apps and permissions keep working after a new password. Clear the ones that you
        know, and end the others.
      </p>
      <ul aria-labelledby="made" className="border-hairline border-t">
        {changes.map((change) => (
          <li key={change.id} className="border-hairline border-b px-5 py-2">
            <Checkbox
              checked={!kept.has(change.id)}
              onChange={() => toggle(change.id)}
              label={<span className="wrap-anywhere">{change.text}</span>}
              hint={<Details change={change} />}
            />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-3 px-5 py-4">
        <p className="text-muted text-small">
          {ending.length} of {changes.length} selected
        </p>
        <GatedButton
          look="danger"
          missing={ending.length === 0 ? 'Select at least one.' : null}
          onClick={() => setAsking(true)}
          className="max-sm:w-full"
        >
          End selected
        </GatedButton>
      </div>
      {isAsking && <EndDialog changes={ending} onClose={() => setAsking(false)} />}
    </>
  )
}

function EndDialog({ changes, onClose }: { changes: Change[]; onClose: () => void }) {
  const count = plural(changes.length, 'item')
  return (
    <ConfirmDialog
      title={`End ${count}`}
      danger
      confirm={[`End ${count}`, 'Ending...']}
      act={async () => toast.success(endedText(await endChanges(changes.map(({ id }) => id))))}
      fallback="Failed to end them"
      onClose={onClose}
    >
      <ul className="max-h-40 list-disc overflow-y-auto pl-5">
        {changes.map(({ id, text }) => (
          <li key={id} className="wrap-anywhere">
            {text}
          </li>
        ))}
      </ul>
      <p>
        Webhooks and agents that were added are deleted. New credentials, apps and permissions end. Webhooks that were
        there before are switched off.
      </p>
      <p>Payments that are already signed complete. Everything older stays as it is.</p>
    </ConfirmDialog>
  )
}

function HistoryCard() {
  const list = useInfiniteQuery(changesQuery)
  const changes = list.data?.pages.flatMap((page) => page.changes)
  return (
    <Card aria-labelledby="history" className="overflow-hidden">
      <h2 id="history" className={`${heading} pb-3`}>
        All changes
      </h2>
      {changes ? (
        changes.length === 0 ? (
          <EmptyState title="No changes yet">What is changed in your account appears here, with who did it.</EmptyState>
        ) : (
          <>
            <ul aria-labelledby="history" className="border-hairline border-t">
              {changes.map((change) => (
                <li key={change.id} className="border-hairline border-b px-5 py-3 last:border-b-0">
                  <p className="wrap-anywhere">
                    {change.subject ? (
                      <Link {...linkOfSubject(change.subject)} className="rounded-sm hover:underline">
                        {change.text}
                      </Link>
                    ) : (
                      change.text
                    )}
                  </p>
                  <p className="text-muted text-small">
                    <Details change={change} />
                  </p>
                </li>
              ))}
            </ul>
            <ShowOlder list={list} />
          </>
        )
      ) : list.error ? (
        <ErrorState error={list.error} fallback="Failed to load your changes" onRetry={() => list.refetch()} />
      ) : (
        <SkeletonRows rows={5} />
      )}
    </Card>
  )
}

function Details({ change }: { change: Change }) {
  return (
    <>
      {change.detail && <span className="wrap-anywhere block">{change.detail}</span>}
      <span className="block">
        {actorText(change)} · <Time iso={change.at} />
      </span>
    </>
  )
}
