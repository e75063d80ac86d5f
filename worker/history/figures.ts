import { type FigureName, figureOf } from '#domain/figures.ts'

/** Whether the figure counts a row of the table `counted`, in SQL. `now` in ms. */
export function countedSql(name: FigureName, now: number): string {
  const { states, method, withinMs } = figureOf(name)
  return [
    `counted.state IN (${states.map((state) => `'${state}'`)})`,
    ...(method === undefined ? [] : [`counted.method = '${method}'`]),
    ...(withinMs === undefined ? [] : [`counted.at > ${Math.floor(now - withinMs)}`]),
  ].join(' AND ')
}
