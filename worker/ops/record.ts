import { isoOf } from '#domain/time.ts'
import type { OperatorAction } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { insertOperatorAction, listOperatorActions, type OperatorActionRow } from '../db/operatorControls.ts'
import { newId } from '../identity/secrets.ts'

const maxActs = 200

export type Act = { actor: string; reason: string }

/** The row of an operator's action. */
export const actRow = (
  now: number,
  { actor, reason }: Act,
  action: string,
  subject: string,
  detail: Record<string, unknown> = {},
): OperatorActionRow => ({
  id: newId('act'),
  at: now,
  actor,
  action,
  subject,
  reason,
  detail: JSON.stringify(detail),
})

/** Records an operator's action. Called before the action, so that nothing is done unrecorded. */
export async function recordAct(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  act: Act,
  action: string,
  subject: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await insertOperatorAction(db, actRow(now(), act, action, subject, detail))
}

/** Newest first. */
export async function recentActs({ db }: Pick<Deps, 'db'>): Promise<OperatorAction[]> {
  const rows = await listOperatorActions(db, maxActs)
  return rows.map(({ at, detail, ...rest }) => ({ ...rest, at: isoOf(at), detail: JSON.parse(detail) }))
}
