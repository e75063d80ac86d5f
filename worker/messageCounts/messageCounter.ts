import { DurableObject } from 'cloudflare:workers'
import { dayMs } from '#domain/time.ts'
import type { Env } from '../env.ts'
import type { MessageCounterApi } from './api.ts'

type Counted = { day: number; messages: number }

/** By then, the day is over for every clock. */
const forgetAfterMs = 2 * dayMs

export class MessageCounter extends DurableObject<Env> implements MessageCounterApi {
  async count(day: number, max: number): Promise<boolean> {
    const { kv } = this.ctx.storage
    const known = kv.get<Counted>('counted')
    // Of a day that has ended here, because two clocks differ at midnight, the next day's messages count.
    const current = known && known.day >= day ? known : { day, messages: 0 }
    if (current.messages >= max) return false
    kv.put<Counted>('counted', { ...current, messages: current.messages + 1 })
    if (current !== known) await this.ctx.storage.setAlarm(Date.now() + forgetAfterMs)
    return true
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }
}
