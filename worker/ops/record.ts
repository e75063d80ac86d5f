import { isoOf } from '#domain/time.ts'
import type { OperatorAction } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { insertOperatorAction, listOperatorActions } from '../db/operatorControls.ts'
import { newId } from '../identity/secrets.ts'

const maxActs = 200

export type Act = { actor: string; reason: string }

/** Records an operator's action. Called before the action, so that nothing is done unrecorded. */
export async function recordAct(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { actor, reason }: Act,
  action: string,
  subject: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const row = { id: newId('act'), at: now(), actor, action, subject, reason, detail: JSON.stringify(detail) }
  await insertOperatorAction(db, row)
}

/** Newest first. */
export async function recentActs({ db }: Pick<Deps, 'db'>): Promise<OperatorAction[]> {
  const rows = await listOperatorActions(db, maxActs)
  return rows.map(({ at, detail, ...rest }) => ({ ...rest, at: isoOf(at), detail: JSON.parse(detail) }))
}
