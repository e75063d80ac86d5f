import { LayoutItem, type Preferences } from '#schemas/preferences.ts'
import type { Deps } from '../appEnv.ts'
import * as db from '../db/preferences.ts'

/** The user's stored preferences, without items that this version does not know. */
export async function readPreferences(deps: Deps, userId: string): Promise<Preferences> {
  const body = await db.readPreferences(deps.db, userId)
  if (body === null) return {}
  const stored = JSON.parse(body) as { dashboardWidgets?: unknown; firstStepsDismissed?: unknown }
  const items = Array.isArray(stored.dashboardWidgets) ? stored.dashboardWidgets : null
  return {
    ...(items && { dashboardWidgets: items.flatMap((item) => LayoutItem.safeParse(item).data ?? []) }),
    ...(stored.firstStepsDismissed === true && { firstStepsDismissed: true }),
  }
}

/** Absent fields keep their values. */
export async function writePreferences(deps: Deps, userId: string, preferences: Preferences): Promise<void> {
  await db.mergePreferences(deps.db, userId, JSON.stringify(preferences), deps.now())
}
