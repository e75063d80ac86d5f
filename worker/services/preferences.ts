import type { PersonId } from '#domain/accounts.ts'
import { LayoutItem, maxPreferenceBytes, type Preferences } from '#schemas/preferences.ts'
import type { Deps } from '../appEnv.ts'
import * as db from '../db/preferences.ts'
import { AppError } from '../errors.ts'

/** The user's stored preferences, without widgets that this version does not know. */
export async function readPreferences(deps: Deps, personId: PersonId): Promise<Preferences> {
  const {
    dashboardWidgets: items,
    firstStepsDismissed,
    ...others
  } = stored(await db.readPreferences(deps.db, personId))
  return {
    ...others,
    ...(Array.isArray(items) && { dashboardWidgets: items.flatMap((item) => LayoutItem.safeParse(item).data ?? []) }),
    ...(firstStepsDismissed === true && { firstStepsDismissed }),
  }
}

const stored = (body: string | null) => (body === null ? {} : JSON.parse(body)) as Record<string, unknown>

const attempts = 5

/** Absent fields keep their values; a field that is present is replaced as a whole. Throws above `maxPreferenceBytes`. */
export async function writePreferences(deps: Deps, personId: PersonId, change: Preferences): Promise<void> {
  for (let i = 0; i < attempts; i++) {
    const before = await db.readPreferences(deps.db, personId)
    const after = JSON.stringify({ ...stored(before), ...change })
    if (new TextEncoder().encode(after).length > maxPreferenceBytes)
      throw new AppError('payload_too_large', 'Preferences are larger than 16 kB.')
    if (await db.replacePreferences(deps.db, personId, { before, after }, deps.now())) return
  }
  throw new AppError('conflict', 'Preferences were changed at the same time. Try again.')
}
