export type Call = <T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<T>

/** `reason` is empty for commands that only read. */
export type Input = { args: string[]; reason: string; options: Record<string, string | undefined>; switches?: string[] }

export type Command = {
  usage: string
  /** Options besides --reason and --json. */
  options?: string[]
  /** Options without a value. */
  switches?: string[]
  help: string
  /** True if the command changes something, or shows what must not be read without a reason: it then needs --reason. */
  needsReason: boolean
  args: [least: number, most: number]
  /** `data` is printed with --json, `text` otherwise. `say` shows progress. */
  run: (call: Call, input: Input, say: (line: string) => void) => Promise<{ data: unknown; text: string }>
}

/** The command line is invalid. */
export class UsageError extends Error {}

/** Returns null for '' and 'none'. Throws UsageError if `text` is not a number. */
export function numberOf(text: string): number | null {
  if (text === '' || text === 'none') return null
  if (!Number.isFinite(Number(text))) throw new UsageError(`${text} is not a number; use none to remove the limit.`)
  return Number(text)
}
export const optional = (text: string | undefined) => (text === undefined ? undefined : numberOf(text))
export const acting = { needsReason: true } as const

type Simple = Pick<Command, 'needsReason' | 'run'>
type Path = string | ((...args: string[]) => string)

const calling =
  (method: 'GET' | 'POST') =>
  <T>(path: Path, textOf: (data: T) => string): Simple => ({
    needsReason: method === 'POST',
    async run(call, { args, reason }) {
      const named = typeof path === 'string' ? path : path(...args)
      const data = await call<T>(method, named, method === 'POST' ? { reason } : undefined)
      return { data, text: textOf(data) }
    },
  })
/** For a command that reads `path`, which may depend on its arguments. */
export const read = calling('GET')
/** For a command that posts its reason, and nothing else. */
export const act = calling('POST')

/** Leaves out empty lines. */
export const lines = (...all: string[]) => all.filter(Boolean).join('\n')

/** Formats a table whose columns are as wide as their longest cell. */
export function rows(cells: string[][]): string {
  const widthOf = (i: number) => Math.max(...cells.map((row) => row[i]?.length ?? 0))
  const lineOf = (row: string[]) => row.map((cell, i) => cell.padEnd(widthOf(i))).join('  ')
  return cells.map((row) => lineOf(row).trimEnd()).join('\n')
}
