import { capitalized } from '#domain/capitalized.ts'
import { changeKinds } from '#domain/events.ts'
import {
  type Change,
  type ChangeActor,
  type ChangesWanted,
  changesAtOnce,
  type LogEnd,
  logAtOnce,
} from '#schemas/change.ts'
import type { Person } from '../appEnv.ts'
import { type Columns, csvFile, partedFile } from './csvFile.ts'

/** CSV of all changes that match, newest first. */
export const exportChanges = ({ treasury }: Person, wanted: ChangesWanted): Promise<Response> =>
  csvFile({
    ...{ name: 'bursar-changes.csv', columns, partRows: changesAtOnce },
    read: async (before: number | null) => {
      const { changes, next } = await treasury.review().changes(wanted, before, changesAtOnce)
      return { rows: changes, next }
    },
  })

const actorText = ({ type, name }: ChangeActor): string =>
  name ?? (type === 'unknown' ? 'Not recorded' : capitalized(type))

const columns: Columns<Change> = [
  ['Time (UTC)', (row) => row.at],
  ['ID', (row) => row.id],
  ['Kind', (row) => changeKinds[row.kind]],
  ['Event', (row) => row.event],
  ['Change', (row) => row.text],
  ['Details', (row) => row.detail],
  ['By', (row) => actorText(row.by)],
  ['Via', (row) => row.via],
]

/** The audit log, one JSON object a line, oldest row first. A file without its last line was cut. */
export function exportLog({ treasury }: Person, after: number): Promise<Response> {
  const sum = { rows: 0, head: null as string | null }
  return partedFile({
    ...{ name: 'bursar-log.jsonl', type: 'application/jsonl', start: '', partRows: logAtOnce },
    read: async (last: number | null) => {
      const part = await treasury.review().log(last ?? after)
      sum.rows += part.rows
      sum.head = part.head ?? sum.head
      return part
    },
    end: (next) => `${JSON.stringify({ end: { ...sum, next } } satisfies LogEnd)}\n`,
  })
}
