import type { Deps } from '../appEnv.ts'
import { endSessions } from '../db/allSessions.ts'
import { type Act, recordAct } from '../ops/record.ts'

/** After a restore of D1: ends up to a thousand login sessions of all accounts, and all codes and links. */
export async function endAllSessions(deps: Deps, act: Act, isDry: boolean): Promise<{ ended: number; left: number }> {
  if (!isDry) await recordAct(deps, act, 'sessions.end', 'all')
  return endSessions(deps.db, isDry)
}
