const intervalMs = 60_000 // as the cron trigger of wrangler.toml

/** Calls the Worker's scheduled handler once a minute, since wrangler does not. Returns a function that stops it. */
export function startCron(workerUrl: string): () => void {
  const timer = setInterval(() => {
    void fetch(`${workerUrl}/cdn-cgi/local/scheduled`).catch(() => {}) // a test may have stopped the Worker
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
