import { DurableObject } from 'cloudflare:workers'
import { dayMs } from '#domain/time.ts'
import type { Bindings } from '../bindings.ts'
import type { MessageCounterApi } from './api.ts'

type Counted = { day: number; messages: number }

/** By then, the day is over for every clock. */
const forgetAfterMs = 2 * dayMs

export class MessageCounter extends DurableObject<Bindings> implements MessageCounterApi {
  async count(day: number, max: number): Promise<boolean> {
    const known = this.#known()
    const current = currentOf(known, day)
    if (current.messages >= max) return false
    this.ctx.storage.kv.put<Counted>('counted', { ...current, messages: current.messages + 1 })
    if (current !== known) await this.ctx.storage.setAlarm(Date.now() + forgetAfterMs)
    return true
  }

  async hasRoom(day: number, max: number): Promise<boolean> {
    return currentOf(this.#known(), day).messages < max
  }

  #known(): Counted | undefined {
    return this.ctx.storage.kv.get<Counted>('counted')
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }
}

/** Of a day that has ended here, because two clocks differ at midnight, the next day's messages count. */
const currentOf = (known: Counted | undefined, day: number): Counted =>
  known && known.day >= day ? known : { day, messages: 0 }
