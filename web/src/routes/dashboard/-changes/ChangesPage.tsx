import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { changeKinds, madeDays } from '#domain/events.ts'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader, Syncing } from '#web/components/Card.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { Pills } from '#web/components/Pills.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { plural } from '#web/lib/format.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { FilterChips, ListButtons, SaveButton } from '#web/lists/FilterBar.tsx'
import { ShowOlder } from '#web/lists/ShowOlder.tsx'
import { type Change, endChanges, exportLog } from '#web/queries/changes.ts'
import { useMay } from '#web/queries/people.ts'
import { linkOfSubject } from '../-notices/links.ts'
import { type ChangesState, useChanges } from './useChanges.ts'
import { actorText, endedText } from './words.ts'

const madeText = `Added in the last ${madeDays} days`

/** Who changed what, and when. After a stolen session: what was added and still acts, with one button that ends it. */
export default function ChangesPage() {
  const state = useChanges()
  const { list } = state
  useTitle('History of changes')
  return (
    <>
      <PageHeader title="History of changes" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <ListButtons page={state} />
      </PageHeader>
      <Pills
        legend="Show"
        value={state.made}
        options={[
          [false, 'All changes'],
          [true, madeText],
        ]}
        onChange={state.showMade}
        className="mb-4"
      />
      <FilterChips page={state} />
      <Card aria-label={state.made ? madeText : 'Changes'} className="overflow-hidden">
        <Changes state={state} />
      </Card>
      <section aria-label="Log" className="mt-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-1">
        <p className="max-w-prose text-muted text-small">
          The log has every event of the account, payments included, with hashes that show whether a row was changed or
          removed. verify-log.mjs, in the documentation of Bursar, verifies them.
        </p>
        <SaveButton name="bursar-log.jsonl" load={exportLog}>
          Export log
        </SaveButton>
      </section>
    </>
  )
}

function Changes({ state }: { state: ChangesState }) {
  const { list, changes, made } = state
  const mayEnd = useMay('review.endMade')
  if (!changes)
    return list.error ? (
      <ErrorState
        error={list.error}
        fallback={made ? 'Failed to load what was added' : 'Failed to load the changes'}
        onRetry={() => list.refetch()}
      />
    ) : (
      <SkeletonRows rows={5} />
    )
  if (changes.length === 0) return state.isIncomplete ? <SkeletonRows rows={3} /> : <NoChanges state={state} />
  return (
    <div aria-busy={list.isPlaceholderData} className="transition-opacity aria-busy:opacity-60">
      {made && mayEnd ? (
        <MadeList changes={changes} isComplete={!state.isIncomplete} />
      ) : (
        <ChangeList label={made ? madeText : 'All changes'} changes={changes} />
      )}
      {list.isFetchNextPageError && (
        <ErrorState error={list.error} fallback="Failed to load the rest" onRetry={() => list.fetchNextPage()} />
      )}
      {!made && <ShowOlder list={list} />}
    </div>
  )
}

function NoChanges({ state }: { state: ChangesState }) {
  if (state.active.length > 0)
    return (
      <EmptyState title="No changes found" action={<Button onClick={state.clear}>Clear Filters</Button>}>
        No changes match your filters.
      </EmptyState>
    )
  return state.made ? (
    <EmptyState title="Nothing to end">
      No webhook, agent, credential, app or permission that was added in the last {madeDays} days still acts.
    </EmptyState>
  ) : (
    <EmptyState title="No changes yet">What is changed in your account appears here, with who did it.</EmptyState>
  )
}

const ChangeList = ({ label, changes }: { label: string; changes: Change[] }) => (
  <ul aria-label={label}>
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
)

/** What was added, to choose what to end. `isComplete`: all of it has been read. */
function MadeList({ changes, isComplete }: { changes: Change[]; isComplete: boolean }) {
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
      <p className="px-5 pt-4 pb-3 text-muted">
        Webhooks, agents, credentials, apps and permissions keep working after a new password. Untick those that you
        know, and end the others.
      </p>
      <ul aria-label={madeText} className="border-hairline border-t">
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
          missing={ending.length === 0 ? 'Select at least one.' : isComplete ? null : 'More of them are being loaded.'}
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

function Details({ change }: { change: Change }) {
  return (
    <>
      {change.detail && <span className="wrap-anywhere block">{change.detail}</span>}
      <span className="wrap-anywhere block">
        {changeKinds[change.kind]} · {actorText(change)} · <Time iso={change.at} />
      </span>
    </>
  )
}
