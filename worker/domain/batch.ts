/** Which waiting items travel together next. Pure: the Relayer object asks, simulates and sends. */

/** Sends travel packed and cheap; calls are everything else. */
export type Lane = 'send' | 'call'

export type WaitingItem = {
  id: string
  userId: string
  lane: Lane
  /** It failed once in company, so it travels by itself. */
  alone: boolean
  /** ms */
  queuedAt: number
}

/** `direct`: each in a transaction of its own. */
export type Plan = { kind: 'direct' | 'sends' | 'calls'; ids: string[] }

/** `nextAt` (ms): when a batch comes of age by itself; null: only a new item or a receipt can change the answer. */
export type Choice = { plan: Plan | null; nextAt: number | null }

/** From this many on, a batch is cheaper per send than a plain USDC transfer. */
export const batchFrom = 3
/** How long one or two items wait for company while a transaction is in flight. */
export const companyMs = 300
export const largestBatch = { send: 50, call: 25 } as const
/** Of one user in a batch while others wait. */
export const shareOfOneUser = 10
const shareOfOneUserAlone = 2
/** Transactions of one account that are not mined yet: nodes keep few per sender. */
export const maxInFlight = 8

/** `waiting` oldest first. Alone goes direct; three, or a wait of 300 ms while a transaction is in flight, go together. */
export function chooseBatch(waiting: readonly WaitingItem[], inFlight: number, now: number): Choice {
  if (inFlight >= maxInFlight) return { plan: null, nextAt: null }

  let nextAt: number | null = null
  const judged = new Set<Lane>()
  for (const oldest of waiting) {
    if (oldest.alone) {
      const alone = waiting.filter((item) => item.alone)
      return { plan: direct(fairPick(alone, maxInFlight - inFlight, shareOfOneUserAlone)), nextAt: null }
    }
    if (judged.has(oldest.lane)) continue
    judged.add(oldest.lane)

    const lane = waiting.filter((item) => item.lane === oldest.lane && !item.alone)
    const dueAt = inFlight === 0 || lane.length >= batchFrom ? now : oldest.queuedAt + companyMs
    if (dueAt <= now) return { plan: planOf(oldest.lane, lane), nextAt: null }
    nextAt = nextAt === null ? dueAt : Math.min(nextAt, dueAt)
  }
  return { plan: null, nextAt }
}

function planOf(lane: Lane, items: readonly WaitingItem[]): Plan {
  const picked = fairPick(items, largestBatch[lane], shareOfOneUser)
  if (picked.length === 1) return direct(picked)
  return { kind: lane === 'send' ? 'sends' : 'calls', ids: picked.map((item) => item.id) }
}

function direct(items: readonly WaitingItem[]): Plan {
  return { kind: 'direct', ids: items.map((item) => item.id) }
}

/** Round robin over users in order of their oldest item; `share` bounds one user while another waits. */
export function fairPick<Item extends { userId: string }>(items: readonly Item[], size: number, share: number): Item[] {
  const queues = [...Map.groupBy(items, (item) => item.userId).values()]
  const rounds = queues.length > 1 ? share : size
  const picked: Item[] = []
  for (let round = 0; round < rounds; round++) {
    const before = picked.length
    for (const queue of queues) {
      const item = queue[round]
      if (item && picked.length < size) picked.push(item)
    }
    if (picked.length === before) break
  }
  return picked
}
