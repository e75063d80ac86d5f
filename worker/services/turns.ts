import { AppError } from '../errors.ts'

const atOnce = 16
const longestMs = 30_000 // 30 seconds: a call cut off by its client never gives its turn back
const patienceMs = 15_000 // 15 seconds
const pauseMs = 10

type Turn = { takenAt: number }
const taken = new Map<string, Set<Turn>>()

/**
 * At most 16 calls of one agent are under way in this isolate; the others wait here, where they hold up nobody but each
 * other: the Treasury's queue stays short for its owner's dashboard, and the isolate's for everybody else. Throws
 * `rate_limited` when it takes longer than 15 seconds.
 */
export async function inTurn<T>(agentId: string, work: () => Promise<T>): Promise<T> {
  const since = Date.now()
  while (isFull(agentId)) {
    if (Date.now() - since > patienceMs)
      throw new AppError('rate_limited', `More than ${atOnce} calls at once. Try again in 1 s.`, { retryAfter: 1 })
    await scheduler.wait(pauseMs)
  }
  const turns = taken.get(agentId) ?? new Set()
  taken.set(agentId, turns)
  const turn = { takenAt: Date.now() }
  turns.add(turn)
  try {
    return await work()
  } finally {
    turns.delete(turn)
    if (turns.size === 0) taken.delete(agentId)
  }
}

function isFull(agentId: string): boolean {
  const turns = taken.get(agentId)
  if (!turns || turns.size < atOnce) return false
  const now = Date.now()
  for (const turn of turns) if (now - turn.takenAt > longestMs) turns.delete(turn)
  return turns.size >= atOnce
}
