/**
 * The CPU time of this thread that `work` needs, in ms: the least of three runs, because other work on the machine can only
 * add to it.
 */
export function leastCpuMs(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
