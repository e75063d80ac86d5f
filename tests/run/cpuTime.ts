/**
 * CPU seconds of process trees, read from /proc: what a stage of `npm test` costs, whatever else the machine does.
 *
 * The kernel adds a process's times to its parent's when the parent waits for it, so a process that lives for less than
 * a sample is still counted. Two kinds are not added there, and count as of the last sample that saw them: processes
 * whose parent ended first, and those killed together with their parent. Their last half second is lost.
 */
import { readdirSync, readFileSync } from 'node:fs'

const sampleMs = 500
const ticksPerSecond = 100 // USER_HZ, which is 100 on every Linux that Node supports

/** Times in ticks, of user and system together. */
type Process = {
  pid: number
  parent: number
  session: number
  /** Distinguishes a process from an earlier one with the same id. */
  startedAt: number
  used: number
  /** CPU time of the children that it waited for, and of their children. */
  inherited: number
}
/** `ended`: what its ended processes used and no living one inherited. */
type Tree = { ended: number }
type Member = Process & { tree: Tree }

export type CpuMeter = {
  /** Follows `pid` and all that it starts; call it right after the spawn. The result: its CPU seconds so far. */
  follow(pid: number): () => number
  stop(): void
}

/** Null if there is no /proc. */
export function startCpuMeter(): CpuMeter | null {
  const self = readProcess(process.pid)
  if (!self) return null
  const roots = new Map<number, Tree>()
  const sessions = new Map<number, Tree>()
  const strangers = new Set<number>()
  let members = new Map<number, Member>()
  let inheritedHere = self.inherited

  const sample = () => {
    const now = readProcesses(strangers)
    bookEnded(now)
    const next = new Map<number, Member>()
    for (const found of parentsFirst(now)) {
      const { pid, parent, session } = found
      const tree = members.get(pid)?.tree ?? roots.get(pid) ?? next.get(parent)?.tree ?? sessions.get(session)
      if (tree) next.set(pid, { ...found, tree })
      else if (pid !== process.pid) strangers.add(pid)
      // A process of this session is a member even if its parent has ended before the first look at it.
      if (tree && session === pid) sessions.set(session, tree)
    }
    members = next
  }

  const bookEnded = (now: Map<number, Process>) => {
    const isAlive = ({ pid, startedAt }: Process) => now.get(pid)?.startedAt === startedAt
    const claims = new Map<number, Map<Tree, number>>()
    for (const member of members.values()) {
      if (isAlive(member)) continue
      const heir = livingAncestor(member, isAlive)
      const claim = claims.get(heir) ?? new Map<Tree, number>()
      claim.set(member.tree, (claim.get(member.tree) ?? 0) + member.used + member.inherited)
      claims.set(heir, claim)
    }
    const here = now.get(process.pid)!.inherited
    for (const [pid, claim] of claims) {
      const heir = members.get(pid)
      const claimed = [...claim.values()].reduce((sum, ticks) => sum + ticks, 1)
      for (const [tree, ticks] of claim) {
        if (heir) tree.ended += Math.max(0, ticks - (now.get(pid)!.inherited - heir.inherited))
        // The tree's root ended: this process inherited what it used since the last sample as well.
        else if (pid === process.pid) tree.ended += Math.max(ticks, ((here - inheritedHere) * ticks) / claimed)
        else tree.ended += ticks
      }
    }
    inheritedHere = here
  }

  /** Its nearest living ancestor, which inherits its times; 1 when they have all ended. */
  const livingAncestor = ({ parent: pid }: Process, isAlive: (known: Process) => boolean): number => {
    const parent = members.get(pid)
    if (!parent) return pid === process.pid ? pid : 1
    return isAlive(parent) ? pid : livingAncestor(parent, isAlive)
  }

  const timer = setInterval(sample, sampleMs)
  timer.unref()
  return {
    follow(pid) {
      const tree: Tree = { ended: 0 }
      roots.set(pid, tree)
      strangers.delete(pid)
      sample()
      return () => {
        sample()
        const living = [...members.values()].filter((member) => member.tree === tree)
        return living.reduce((ticks, { used, inherited }) => ticks + used + inherited, tree.ended) / ticksPerSecond
      }
    },
    stop: () => clearInterval(timer),
  }
}

const parentsFirst = (processes: Map<number, Process>) =>
  [...processes.values()].sort((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)

/** All but the strangers; those that have ended are removed from `strangers`. */
function readProcesses(strangers: Set<number>): Map<number, Process> {
  const pids = new Set(readdirSync('/proc').map(Number).filter(Number.isInteger))
  for (const pid of strangers) if (!pids.has(pid)) strangers.delete(pid)
  const found = [...pids].filter((pid) => !strangers.has(pid)).map(readProcess)
  return new Map(found.filter((entry) => entry !== null).map((entry) => [entry.pid, entry]))
}

/** Null if the process does not exist (any more). */
function readProcess(pid: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: state, parent, group, session, …; proc_pid_stat(5) counts from 3.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const field = (number: number) => fields[number - 3]!
    return {
      pid,
      parent: field(4),
      session: field(6),
      used: field(14) + field(15),
      inherited: field(16) + field(17),
      startedAt: field(22),
    }
  } catch {
    return null
  }
}
