import type { Bindings } from '../bindings.ts'
import { signed } from '../identity/signed.ts'

/** The object that counts messages to this mailbox or phone number. `now` in ms. */
export const messageCounterOf = (env: Bindings, recipient: string, now: number) =>
  env.MESSAGE_COUNTER.getByName(signed(env, `message-counter:${recipient}`, now))
