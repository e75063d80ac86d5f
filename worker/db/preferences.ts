import { LayoutItem, type Preferences } from '../schemas/preferences.ts'

/** What a user stored; items that this version does not know are left out. */
export async function readPreferences(db: D1Database, userId: string): Promise<Preferences> {
  const row = await db.prepare('SELECT body FROM preferences WHERE user_id = ?').bind(userId).first<{ body: string }>()
  if (!row) return {}
  const stored = JSON.parse(row.body) as { dashboardWidgets?: unknown; firstStepsDismissed?: unknown }
  const items = Array.isArray(stored.dashboardWidgets) ? stored.dashboardWidgets : null
  return {
    ...(items && { dashboardWidgets: items.flatMap((item) => LayoutItem.safeParse(item).data ?? []) }),
    ...(stored.firstStepsDismissed === true && { firstStepsDismissed: true }),
  }
}

/** Fields that are not named keep their values. */
export async function writePreferences(
  db: D1Database,
  userId: string,
  preferences: Preferences,
  now: number,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO preferences (user_id, body, updated_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (user_id) DO UPDATE SET body = json_patch(preferences.body, excluded.body), updated_at = excluded.updated_at`,
    )
    .bind(userId, JSON.stringify(preferences), now)
    .run()
}
