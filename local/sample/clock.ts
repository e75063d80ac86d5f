/** Moves the chains and the Worker of a sample stack through time. */
import { hourMs } from '#domain/time.ts'
import { RpcClient } from '../../worker/chain/rpcClient.ts'
import { demo } from '../stack/seed.ts'

export type SampleClock = {
  /** Moves everything to `at` (ms). Does nothing if that time has passed. */
  goTo(at: number): Promise<void>
  /** Base mines no block while `run` runs and for one more hour. */
  withoutBlocks(run: () => Promise<void>): Promise<void>
}

/** Seconds between blocks of a sample's chains. */
export const sampleBlockTime = 1

/** `startedAt` (ms) is the chains' current time; the Worker is moved there as well. */
export async function startClock(workerUrl: string, rpcUrls: string[], startedAt: number): Promise<SampleClock> {
  const chains = rpcUrls.map((url) => new RpcClient(url))
  let [aheadMs, sentMs] = [startedAt - Date.now(), 0]
  const syncWorker = async () => {
    const reply = await fetch(`${workerUrl}/dev/clock`, {
      method: 'POST',
      body: JSON.stringify({ aheadMs, userId: demo.userId }),
    })
    if (!reply.ok) throw new Error(`the sample's Worker returned ${reply.status}`)
    const { previousMs } = (await reply.json()) as { previousMs: number }
    // Whatever has happened since then is dated today.
    if (previousMs !== sentMs) throw new Error('the sample’s Worker was restarted: do not change sources meanwhile')
    sentMs = aheadMs
  }
  await syncWorker()
  const clock: SampleClock = {
    async goTo(at) {
      const seconds = Math.floor((at - Date.now() - aheadMs) / 1000)
      if (seconds <= 0) return
      // Chains first: an old latest block would look like a node that has fallen behind.
      for (const chain of chains) {
        await chain.request('evm_increaseTime', [seconds])
        await chain.request('evm_mine', [])
      }
      aheadMs += seconds * 1000
      await syncWorker()
    },
    async withoutBlocks(run) {
      const [base] = chains
      const mineEvery = (seconds: number) => base!.request('evm_setIntervalMining', [seconds])
      await mineEvery(0)
      try {
        await run()
        await clock.goTo(Date.now() + aheadMs + hourMs)
      } finally {
        await mineEvery(sampleBlockTime)
      }
    },
  }
  return clock
}
