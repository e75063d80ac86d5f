import type { Overview } from '#schemas/overview.ts'
import type { Deps } from '../appEnv.ts'
import { countContacts } from '../db/contacts.ts'
import { treasuryOf } from '../treasuryOf.ts'

/** The data of all overview widgets. */
export async function getOverview(deps: Deps, userId: string): Promise<Overview> {
  const [figures, contactCount] = await Promise.all([
    treasuryOf(deps.env, userId).reports().overview(),
    countContacts(deps.db, userId),
  ])
  return { ...figures, contactCount }
}
