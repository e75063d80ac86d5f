import { queryClient } from '#web/lib/queryClient.ts'
import { runRowsQuery, type ShownRows } from '#web/queries/runs.ts'

const frame = () => new Promise(requestAnimationFrame)

/** Prints the page of a run with all its rows, of which the page itself loads those that are scrolled to. */
export async function printRun(runId: string, show: ShownRows): Promise<void> {
  await queryClient.fetchInfiniteQuery({ ...runRowsQuery(runId, show), pages: Number.POSITIVE_INFINITY, staleTime: 0 })
  // Until they are on the page.
  await frame()
  await frame()
  print()
}
