import { DurableObject } from 'cloudflare:workers'
import { editionOf, includesStops, mergedStops, nothingStopped, type StopState } from '#domain/stopState.ts'
import type { Bindings } from '../bindings.ts'
import { primaryDb } from '../db/d1.ts'
import { readStopRecord } from '../db/operatorControls.ts'
import { within } from '../durable/within.ts'
import type { ServiceStopsApi, StopReading, StopWrite, UnrecordedAct } from './api.ts'
import { stopObject, stopRegions } from './regions.ts'
import { syncStops } from './sync.ts'

/** How often an object repeats a change until all others and D1 have it. */
const repeatMs = 2_000 // 2 seconds
/** Shorter than what its callers wait. */
const learnMs = 1_500 // 1.5 seconds

/** Holds what operators have stopped for one region (api.ts). Everything it holds is in memory; storage has a copy. */
export class ServiceStops extends DurableObject<Bindings> implements ServiceStopsApi {
  #state: StopState | null
  #acts: UnrecordedAct[]
  #learning: Promise<StopState> | null = null

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env)
    this.#state = ctx.storage.kv.get<StopState>('state') ?? null
    this.#acts = ctx.storage.kv.get<UnrecordedAct[]>('acts') ?? []
  }

  async read(): Promise<StopReading> {
    // Operators' newer code does not write to a region that has left the setting: older readers must not follow it.
    if (!stopRegions(this.env).some((region) => region === this.ctx.id.name)) throw new Error('not in STOP_REGIONS')
    const state = await this.#learned()
    const { mode, since } = state.stop
    const open = Object.entries(state.freezes).flatMap(([userId, { restoreId }]) =>
      restoreId === null ? [] : [[userId, restoreId]],
    )
    return { mode, since, frozen: Object.fromEntries(open), edition: editionOf(state) }
  }

  async report(): Promise<{ state: StopState; acts: UnrecordedAct[] }> {
    return { state: await this.#learned(), acts: this.#acts }
  }

  async known(): Promise<StopState | null> {
    return this.#state
  }

  async write({ state, act, replaces }: StopWrite): Promise<StopState> {
    const current = await this.#learned()
    if (replaces !== undefined && current.stop.version !== replaces) return current
    const isNewAct = act !== undefined && !this.#acts.some(({ id }) => id === act.id)
    if (includesStops(current, state) && !isNewAct) return current
    this.#store(mergedStops(current, state), isNewAct ? [...this.#acts, act] : this.#acts)
    await this.ctx.storage.setAlarm(Date.now() + repeatMs)
    return this.#state!
  }

  async confirm(edition: number, actIds: string[]): Promise<void> {
    if (this.#state === null) return
    const acts = this.#acts.filter(({ id }) => !actIds.includes(id))
    if (acts.length < this.#acts.length) this.#store(this.#state, acts)
    const isDone = editionOf(this.#state) === edition && acts.length === 0
    if (isDone && (await this.ctx.storage.getAlarm()) !== null) await this.ctx.storage.deleteAlarm()
  }

  override async alarm(): Promise<void> {
    const { unconfirmed, isRecorded } = await syncStops(this.env)
    if (unconfirmed.length > 0 || !isRecorded) await this.ctx.storage.setAlarm(Date.now() + repeatMs)
  }

  #learned(): Promise<StopState> {
    if (this.#state) return Promise.resolve(this.#state)
    this.#learning ??= this.#learn().finally(() => {
      this.#learning = null
    })
    return this.#learning
  }

  /** A new object, or one that has lost its storage, asks D1 and the others before its first answer. Throws if none knows. */
  async #learn(): Promise<StopState> {
    const others = stopRegions(this.env).filter((region) => region !== this.ctx.id.name)
    const answers = await Promise.allSettled([
      within(learnMs, () => readStopRecord(primaryDb(this.env.DB))),
      ...others.map((region) => within(learnMs, () => stopObject(this.env, region).known())),
    ])
    const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value ?? []) : []))
    if (known.length === 0) throw new Error('neither D1 nor another object says what is stopped')
    this.#store(known.reduce(mergedStops, this.#state ?? nothingStopped), this.#acts)
    return this.#state!
  }

  #store(state: StopState, acts: UnrecordedAct[]): void {
    this.ctx.storage.kv.put('state', state)
    this.ctx.storage.kv.put('acts', acts)
    this.#state = state
    this.#acts = acts
  }
}
