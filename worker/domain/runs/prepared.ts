import { plural } from '../words.ts'
import type { RunStatus } from './runStatus.ts'

/** Of a run that an agent prepares. People upload larger ones. */
export const maxPreparedRows = 200
export const tooManyPreparedRows = `A run that an agent prepares has at most ${maxPreparedRows} rows. Split them into several runs.`

/** What an agent can do about its run now. Null: nothing. `payments`: rows that are not left out. */
export function nextForAgent(run: {
  status: RunStatus
  isChecked: boolean
  leftOut: number
  payments: number
}): string | null {
  const { status, isChecked, leftOut, payments } = run
  switch (status) {
    case 'DRAFT': {
      if (!isChecked) return 'The rows are still being checked. Read the run again in a second.'
      const correct =
        'Correct the rows with errors, and prepare all rows again with `replaces` set to the id of this run.'
      if (payments === 0) return `No row can be paid. ${correct}`
      const person = '`url` to a person, who submits and decides. You can do neither.'
      if (leftOut === 0) return `Give ${person}`
      return `${plural(leftOut, 'row')} would not be paid. ${correct} Or leave them out, and give ${person}`
    }
    case 'WAITING':
      return 'It waits for a decision by a person. Read the run again later.'
    case 'RUNNING':
      return 'It was approved and is being paid. Read the run again later.'
    case 'DONE':
    case 'STOPPED':
    case 'DENIED':
    case 'EXPIRED':
    case 'CANCELLED':
      return null
  }
}
