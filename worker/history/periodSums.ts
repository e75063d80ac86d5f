import { type Period, periodNumber, periods } from '#domain/periods.ts'
import { integer } from '../durable/table.ts'

/**
 * What was spent in the newest weeks and months, kept in columns of a row that is written anyway. `week` and `month` are the
 * numbers of the newest one in which something was spent, and column 0 has its sum, 1 that of the one before, 2 that of the one
 * before that: the newest may be ahead of the reader's clock. Sums do not depend on the order in which payments arrive.
 */

const sum = () => integer('DEFAULT 0')
export const periodColumns = {
  ...{ week: sum(), week_0: sum(), week_1: sum(), week_2: sum() },
  ...{ month: sum(), month_0: sum(), month_1: sum(), month_2: sum() },
}

const places = [0, 1, 2] as const
const each = (part: (period: Period) => string[]) => periods.flatMap(part).join(', ')

/** Names of the columns that a first row sets. */
export const periodNames = each((period) => [period, `${period}_0`])
/** Their values: of a payment that was not spent, none. */
export const periodValues = (row: string) =>
  each((period) => [
    `CASE WHEN ${row}.spent_at IS NULL THEN 0 ELSE ${periodNumber(period, `${row}.spent_at`)} END`,
    `${row}.amount * (${row}.spent_at IS NOT NULL)`,
  ])

/** Assignments that add the row `excluded` of an upsert. */
export const periodAdded = each((period) => {
  const later = `(excluded.${period} - ${period})`
  const kept = [
    `CASE WHEN ${later} > 0 THEN 0 ELSE ${period}_0 END`,
    `CASE WHEN ${later} <= 0 THEN ${period}_1 WHEN ${later} = 1 THEN ${period}_0 ELSE 0 END`,
    `CASE WHEN ${later} <= 0 THEN ${period}_2 WHEN ${later} = 1 THEN ${period}_1 WHEN ${later} = 2 THEN ${period}_0 ELSE 0 END`,
  ]
  return [
    `${period} = max(${period}, excluded.${period})`,
    ...places.map(
      (place) =>
        `${period}_${place} = ${kept[place]} + excluded.${period}_0 * (${place === 0 ? `${later} >= 0` : `${later} = -${place}`})`,
    ),
  ]
})

/** Assignments that take out the row. */
export const periodTaken = (row: string) =>
  each((period) =>
    places.map(
      (place) =>
        `${period}_${place} = ${period}_${place} - ${row}.amount * (${row}.spent_at IS NOT NULL AND ${periodNumber(period, `${row}.spent_at`)} = ${period} - ${place})`,
    ),
  )

/** The sum of the period with this number. */
export const sumOfPeriod = (period: Period, number: number) =>
  `CASE ${period} - ${number} ${places.map((place) => `WHEN ${place} THEN ${period}_${place}`).join(' ')} ELSE 0 END`
