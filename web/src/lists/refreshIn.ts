const refreshMs = 30_000 // 30 seconds
const movingMs = 2_000 // 2 seconds

/** How soon to read again what shows these rows. */
export const refreshIn = <Row>(rows: Row[] | undefined, isMoving: (row: Row) => boolean): number =>
  rows?.some(isMoving) ? movingMs : refreshMs
