/** Processes as /proc shows them. Linux only. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

type Process = { pid: number; name: string; parent: number }

function runningProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        // pid (name) state ppid …
        const match = /^(\d+) \((.*)\) (\S) (\d+) /s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))
        return match && match[3] !== 'Z' ? [{ pid: Number(match[1]), name: match[2]!, parent: Number(match[4]) }] : []
      } catch {
        return [] // ended meanwhile
      }
    })
}

/** Process ids of the running workerd that `pid` started, itself or through a child. */
export function workerdOf(pid: number): number[] {
  const running = runningProcesses()
  const family = new Set([pid])
  for (let size = 0; size < family.size; ) {
    size = family.size
    for (const each of running) if (family.has(each.parent)) family.add(each.pid)
  }
  return running.filter((each) => each.name === 'workerd' && family.has(each.pid)).map((each) => each.pid)
}

/** Sends SIGKILL to the processes that `find` returns. Resolves when `find` no longer returns any of them. */
export async function killDescendants(find: () => number[]): Promise<void> {
  const killed = find()
  for (const pid of killed) process.kill(pid, 'SIGKILL')
  while (find().some((pid) => killed.includes(pid))) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** From now on, the process runs only while no other wants the core: for what stands in for another machine. */
export function yieldCores(pid: number): void {
  execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])
}

/** Sends SIGKILL to the process group of `pid`, if it still exists. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // already gone
  }
}
