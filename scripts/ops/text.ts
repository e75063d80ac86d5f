/** Formats a table whose columns are as wide as their longest cell. */
export function rows(cells: string[][]): string {
  const widths = cells.reduce<number[]>((most, row) => {
    for (const [i, cell] of row.entries()) most[i] = Math.max(most[i] ?? 0, cell.length)
    return most
  }, [])
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
