/** The Worker of a stack, which can be stopped, killed and restarted. */
import { startWorkerProcess, type WorkerProcess } from './workerProcess.ts'

export type LocalWorker = {
  /** Process id of the current wrangler, or of the lean Worker. */
  pid(): number
  workerdPid(): number
  /** Stops the Worker gracefully. */
  stop(): Promise<void>
  /** Kills workerd and wrangler with SIGKILL. */
  kill(): Promise<void>
  /** Starts the Worker with the same options, after `stop` or `kill`, or in place of a running one. */
  restart(): Promise<void>
  /** Resolves when the Worker has exited without `stop`, `kill` or `restart`. */
  crashed: Promise<void>
}

/** Resolves once the Worker is serving. */
export async function startLocalWorker(options: Parameters<typeof startWorkerProcess>[0]): Promise<LocalWorker> {
  const endedOnPurpose = new WeakSet<WorkerProcess>()
  const crashed = Promise.withResolvers<void>()
  const start = async () => {
    const started = await startWorkerProcess(options)
    void started.ended.then(() => {
      if (!endedOnPurpose.has(started)) crashed.resolve()
    })
    return started
  }
  let current = await start()
  const stop = async () => {
    endedOnPurpose.add(current)
    await current.stop()
  }
  return {
    pid: () => current.pid,
    workerdPid: () => current.workerdPid(),
    stop,
    async kill() {
      endedOnPurpose.add(current)
      await current.kill()
    },
    async restart() {
      if (await current.revived()) return
      await stop()
      current = await start()
    },
    crashed: crashed.promise,
  }
}
