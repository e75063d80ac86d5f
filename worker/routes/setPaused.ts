import type { Context } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { success, unwrap } from '../result.ts'
import type { PauseSubject } from '../treasury/policies/rpcTypes.ts'

/** Pauses or resumes `subject`. */
export const setPaused = async (c: Context<AppEnv>, subject: PauseSubject, isPaused: boolean) =>
  c.json(success(unwrap(await c.var.treasury.policies().pause(subject, isPaused, c.var.passwordChecked))))
