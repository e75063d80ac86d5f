import { actingFor } from './actingFor.ts'
import { keptAnswers, storeAnswers } from './answerStorage.ts'
import { queryClient } from './queryClient.ts'
import { getSession } from './session.ts'
import { forgetAnswers, storedUser } from './tokens.ts'

/** Keys of the queries of the first screen. */
const keptKeys = [
  ['config'],
  ['preferences'],
  ['overview'],
  ['notices', 'count'],
  ['transactions', 'list', { page: 1, pageSize: 5 }],
  // With the role, on which it depends what is shown.
  ['people'],
] as const

/**
 * Shows the last answers of this tab at once when the dashboard is loaded again, until newer ones arrive. Such an answer has
 * the time 0 (`dataUpdatedAt`), by which a page can tell that it may be out of date. They end with the session.
 */
export function keepAnswers(): void {
  restore()
  addEventListener('pagehide', store)
}

function restore(): void {
  const answers = keptAnswers()
  forgetAnswers()
  for (const [queryKey, data] of answers) {
    if (queryClient.getQueryState(queryKey)?.data !== undefined) continue
    queryClient.setQueryData(queryKey, data, { updatedAt: 0 })
    // Also replaces what otherwise never changes.
    void queryClient.invalidateQueries({ queryKey, refetchType: 'none' })
  }
}

function store(): void {
  // Another tab may have signed in somebody else: the answers here are of the user with whom this page began.
  const userId = getSession().user?.id
  if (userId === undefined || storedUser()?.id !== userId) return
  const answers = keptKeys.flatMap((queryKey): [readonly unknown[], unknown][] => {
    const data = queryClient.getQueryData(queryKey)
    return data === undefined ? [] : [[queryKey, data]]
  })
  // Those of the account for which this document acted, although the next may act for another.
  storeAnswers(userId, actingFor()?.id ?? userId, answers)
}
