const intervalMs = 60_000 // as the cron trigger of wrangler.toml

/** Calls the Worker's scheduled handler once a minute, which wrangler does not do by itself. Returns how to stop. */
export function startCron(workerUrl: string): () => void {
  const timer = setInterval(() => {
    void fetch(`${workerUrl}/cdn-cgi/local/scheduled`).catch(() => {}) // a test may have stopped the Worker
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
