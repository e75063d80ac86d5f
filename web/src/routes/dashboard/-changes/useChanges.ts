import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, useEffect } from 'react'
import { changeKinds } from '#domain/events.ts'
import type { ChangeList } from '#schemas/change.ts'
import { textOf } from '#web/lib/search.ts'
import { anyOf, type Filter, id } from '#web/lists/filters.ts'
import { pick, rangeNames, readFilters } from '#web/lists/useListPage.ts'
import { type ChangesParams, changesQuery, exportChanges, useActors } from '#web/queries/changes.ts'
import { other } from '#web/routes/-shell/pages.ts'
import { actorName } from './words.ts'

const ActorField = lazy(() => import('./ActorField.tsx'))

const filters: Record<string, Filter> = {
  kind: anyOf('What', changeKinds),
  by: id({ useText: useActorText, field: { kind: 'custom', Field: ActorField } }),
}
const isInUrl = (name: string) => rangeNames.includes(name) || name in filters

function useActorText(actorId: string) {
  const actor = useActors()?.find((one) => one.id === actorId)
  return `By: ${actor ? actorName(actor) : 'somebody'}`
}

/** A link in a mail may have the end of its sentence behind it. */
const isMade = (value: unknown) => value === true || textOf(value)?.startsWith('true') === true

const changesOf = ({ pages }: InfiniteData<ChangeList>) => pages.flatMap(({ changes }) => changes)

/** The state of the history of changes, which is in the URL, and the changes that belong to it. */
export function useChanges() {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const made = isMade(search.made)
  const { values, active, params: chosen } = readFilters(filters, (name) => search[name])
  const params = { ...chosen, ...(made && { made: 'true' }) } as ChangesParams
  const list = useInfiniteQuery(changesQuery(params))
  const changes = list.data && changesOf(list.data)

  // Whoever ends what a stranger has added must see all of it.
  const { hasNextPage, isFetching, isError, fetchNextPage } = list
  const isIncomplete = made && hasNextPage && !list.isPlaceholderData
  useEffect(() => {
    if (isIncomplete && !isFetching && !isError) void fetchNextPage()
  }, [isIncomplete, isFetching, isError, fetchNextPage])

  const go = (next: Record<string, unknown>) => navigate({ to: other('changes'), search: next as object })
  const ofMade = (isOn: boolean) => (isOn ? { made: true } : {})
  const apply = (next: Record<string, string>) => void go({ ...ofMade(made), ...pick(next, isInUrl) })
  return {
    name: 'Changes',
    noun: 'changes',
    filters,
    values,
    active,
    hasAmounts: false,
    made,
    showMade: (isOn: boolean) => void go({ ...ofMade(isOn), ...values }),
    list,
    changes,
    isIncomplete,
    total: changes?.length,
    apply,
    clear: () => apply({}),
    remove: (names: string[]) => apply(pick(values, (one) => !names.includes(one))),
    exportRows: () => exportChanges(params),
  }
}
export type ChangesState = ReturnType<typeof useChanges>
