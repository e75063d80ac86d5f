/** Lets other calls have their turn. For work that would otherwise keep an object, or others on its thread, for long. */
export const nextTurn = (afterMs = 0) => new Promise<void>((resolve) => setTimeout(resolve, afterMs))
