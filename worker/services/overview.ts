import type { Overview } from '#schemas/overview.ts'
import type { Deps } from '../appEnv.ts'
import { countContacts } from '../db/contacts.ts'

/** The data of all overview widgets. */
export async function getOverview(deps: Deps, userId: string): Promise<Overview> {
  const [figures, contactCount] = await Promise.all([
    deps.env.TREASURY.getByName(userId).reports().overview(),
    countContacts(deps.db, userId),
  ])
  return { ...figures, contactCount }
}
