import { planAlerts } from '#domain/alerts.ts'
import { deleteAlerts, insertAlerts, listAlerts, markAnnounced } from '../db/alerts.ts'
import type { Db } from '../db/d1.ts'
import type { Env } from '../env.ts'
import { messageProviderFrom } from '../notifications/messageProvider.ts'
import { metricsFrom } from '../observability/metrics.ts'
import { observe } from './conditions.ts'
import { readDeployment } from './deploymentState.ts'
import { minuteMetrics } from './minuteMetrics.ts'
import { sendAlert } from './sendAlert.ts'

/**
 * Runs once a minute. Alerts operators once when a condition has lasted from one check to the next, and once when it ends.
 * An alert that no receiver accepted is sent again at the next check. Also writes the minute's metrics. `now` in ms.
 */
export async function checkAlerts(env: Env, db: Db, now: number): Promise<void> {
  const [known, state] = await Promise.all([listAlerts(db), readDeployment(env, db, now)])
  const metrics = metricsFrom(env.METRICS)
  for (const metric of minuteMetrics(state, now)) metrics.record(metric)
  const { seen, start, end, forget } = planAlerts(known, observe(state), now)
  const messages = messageProviderFrom(env, db, () => now)
  await insertAlerts(db, seen)
  await deleteAlerts(
    db,
    forget.map(({ key }) => key),
  )
  for (const alert of start)
    if (await sendAlert(env, messages, alert, 'started')) await markAnnounced(db, alert.key, now)
  for (const alert of end) if (await sendAlert(env, messages, alert, 'ended')) await deleteAlerts(db, [alert.key])
}
