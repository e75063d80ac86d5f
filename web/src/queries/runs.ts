import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { maxRunBytes } from '#domain/runs/row.ts'
import type { ApiCalls } from '#schemas/api.ts'
import type { RowSum, Run, RunItem, RunRow, RunRows, rowFilters } from '#schemas/runs.ts'
import { api } from '../lib/api.ts'
import { apiFile } from '../lib/apiFile.ts'
import { queryClient } from '../lib/queryClient.ts'
import { refreshNoticeCount } from './notices.ts'
import { refreshMoney } from './transactions.ts'

export type { RowSum, Run, RunItem, RunRow }
export type ShownRows = (typeof rowFilters)[number]

const rootKey = ['runs'] as const
const detailKey = [...rootKey, 'detail'] as const
const rowsKey = [...rootKey, 'rows'] as const

const listPollMs = 15_000 // 15 seconds
const checkPollMs = 1_000 // 1 second
const payPollMs = 2_000 // 2 seconds
const waitPollMs = 5_000 // 5 seconds

/** Drafts, and runs that wait or are being paid. An account has fewer of them than a page. */
export const openRunsQuery = queryOptions({
  queryKey: [...rootKey, 'open'],
  queryFn: async ({ signal }) => (await api('GET /runs', { query: { status: 'open' }, signal })).runs,
  refetchInterval: listPollMs,
})

export const endedRunsQuery = infiniteQueryOptions({
  queryKey: [...rootKey, 'ended'],
  queryFn: ({ pageParam, signal }) =>
    api('GET /runs', { query: { status: 'ended', ...(pageParam !== null && { cursor: pageParam }) }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  refetchInterval: listPollMs,
})

/** Whether all rows have been checked. */
export const isChecked = ({ hash }: Run): boolean => hash !== null

function pollOf(run: Run): number | false {
  if (run.status === 'DRAFT') return isChecked(run) ? waitPollMs : checkPollMs
  if (run.status === 'WAITING') return waitPollMs
  if (run.status === 'RUNNING' || run.onTheirWay.rows > 0) return payPollMs
  return run.awaitingClaim.rows > 0 ? listPollMs : false
}

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: [...detailKey, runId],
    queryFn: ({ signal }) => api('GET /runs/:runId', { params: { runId }, signal }),
    refetchInterval: ({ state }) => (state.data ? pollOf(state.data) : false),
    refetchOnWindowFocus: true,
    staleTime: 0,
  })

/** 200 rows a page. They are read again when the figures of the run change (`refreshRows`). */
export const runRowsQuery = (runId: string, show: ShownRows) =>
  infiniteQueryOptions({
    queryKey: [...rowsKey, runId, show],
    queryFn: ({ pageParam, signal }) =>
      api('GET /runs/:runId/rows', {
        params: { runId },
        query: { show, ...(pageParam !== null && { after: String(pageParam) }) },
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (page: RunRows) => page.next,
  })

export const refreshRows = (runId: string) => queryClient.invalidateQueries({ queryKey: [...rowsKey, runId] })

/** Called after something was done with runs, whatever its outcome. */
export async function refreshRuns(): Promise<void> {
  refreshMoney()
  await Promise.all([queryClient.invalidateQueries({ queryKey: rootKey }), refreshNoticeCount()])
}

/** Shows the run as the call left it, and has everything else read again. */
async function shown(call: Promise<Run>): Promise<Run> {
  const run = await call.catch((error: unknown) => {
    void refreshRuns()
    throw error
  })
  queryClient.setQueryData(runQuery(run.id).queryKey, run)
  void refreshRuns()
  return run
}

type Body<Call extends keyof ApiCalls> = ApiCalls[Call] extends { body: infer T } ? T : never

export const createRun = (body: Body<'POST /runs'>, idempotencyKey: string) =>
  shown(api('POST /runs', { body, idempotencyKey }))

export const submitRun = (runId: string) => shown(api('POST /runs/:runId/submit', { params: { runId } }))

export const approveRun = (runId: string, body: Body<'POST /runs/:runId/approve'>) =>
  shown(api('POST /runs/:runId/approve', { params: { runId }, body }))

export const denyRun = (runId: string, body: Body<'POST /runs/:runId/deny'>) =>
  shown(api('POST /runs/:runId/deny', { params: { runId }, body }))

/** Cancels a run that was not decided, or stops one that is being paid. */
export const stopRun = (runId: string) => shown(api('POST /runs/:runId/stop', { params: { runId } }))

export const repeatRun = (runId: string, body: Body<'POST /runs/:runId/repeat'>) =>
  shown(api('POST /runs/:runId/repeat', { params: { runId }, body }))

export const exportRun = (runId: string) => apiFile('GET /runs/:runId/export', { params: { runId } })

/** The parser of the API, which is loaded on demand. */
const parser = () => import('#domain/runs/read.ts')

type ReadFile = { ok: true; csv: string } | { ok: false; message: string }

/** The text of a file. Reads no more of it than a run may have. */
export async function decodeFile(file: File): Promise<ReadFile> {
  const { decodeRunFile } = await parser()
  const bytes = new Uint8Array(await file.slice(0, 2 * maxRunBytes + 3).arrayBuffer())
  const decoded = decodeRunFile(bytes)
  return decoded.ok ? { ok: true, csv: decoded.text } : decoded
}

/** Reads rows as the API will. */
export const readRows = async (csv: string) => (await parser()).readRun({ csv })
