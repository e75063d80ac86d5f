import { parseArgs } from 'node:util'
import { type Call, type Command, type Input, UsageError } from './command.ts'
import { commands } from './commands.ts'

type Io = {
  env: Record<string, string | undefined>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  print: (text: string) => void
  printError: (text: string) => void
}

const timeoutMs = 30_000 // 30 seconds

export const help = `Operates a Bursar deployment. Actions are recorded with the service token's name and your reason.

  npm run ops -- <command> --reason "…" [--json]

Environment
  BURSAR_URL               origin behind Cloudflare Access, such as https://ops.bursar.example
  CF_ACCESS_CLIENT_ID      service token of Cloudflare Access; not needed for npm run dev
  CF_ACCESS_CLIENT_SECRET  its secret

Commands; those marked * need --reason
${Object.values(commands)
  .map(
    ({ usage, needsReason, help }) =>
      `  ${needsReason ? '*' : ' '} ${usage}\n      ${help.replaceAll('\n', '\n      ')}`,
  )
  .join('\n')}

Exit codes: 0 done, 1 refused or failed, 2 invalid command.`

/** Runs one command line. Returns the exit code. */
export async function runOps(argv: string[], io: Io): Promise<0 | 1 | 2> {
  const { print, printError } = io
  try {
    const [name = 'help', ...rest] = argv
    if (['help', '--help', '-h'].includes(name)) {
      print(help)
      return 0
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) throw new UsageError(`There is no command ${name}.`)
    const { input, isJson } = parse(command, rest)
    const { data, text } = await execute(command, input, io)
    print(isJson ? JSON.stringify(data, null, 2) : text)
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError
    printError(`${(error as Error).message}${isUsage ? ' See npm run ops -- help.' : ''}`)
    return isUsage ? 2 : 1
  }
}

/** Throws UsageError, or an Error with the message of the deployment or of Access. */
export function execute(
  command: Command,
  input: Input,
  { env, fetch, printError }: Pick<Io, 'env' | 'fetch'> & Partial<Pick<Io, 'printError'>>,
) {
  const [least, most] = command.args
  if (input.args.length < least || input.args.length > most) throw new UsageError(`Usage: ${command.usage}.`)
  if (command.needsReason && !input.reason.trim()) throw new UsageError('Say why: --reason "…".')
  return command.run(caller(env, fetch), input, (line) => printError?.(line))
}

function parse(command: Command, argv: string[]): { isJson: boolean; input: Input } {
  const text = { type: 'string' } as const
  const names = command.switches ?? []
  const own = {
    ...Object.fromEntries((command.options ?? []).map((name) => [name, text])),
    ...Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const])),
  }
  const { values, positionals: args } = parsed(() =>
    parseArgs({ args: argv, allowPositionals: true, options: { ...own, reason: text, json: { type: 'boolean' } } }),
  )
  const { reason = '', json, ...options } = values as Record<string, string | boolean | undefined>
  const switches = names.filter((name) => options[name] === true)
  const input = { args, reason: String(reason), options: options as Input['options'], switches }
  return { isJson: json === true, input }
}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(`${(error as Error).message}.`)
  }
}

/** Returns a client of /ops/api. Its calls throw the deployment's message, or that Access refused the service token. */
export function caller(env: Io['env'], fetch: Io['fetch']): Call {
  const origin = (env.BURSAR_URL ?? '').replace(/\/$/, '')
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(origin)
  // A local stack knows this token; a deployment's Access does not.
  const { CF_ACCESS_CLIENT_ID: id = isLocal && 'local', CF_ACCESS_CLIENT_SECRET: secret = isLocal && 'local' } = env
  if (!origin || !id || !secret)
    throw new UsageError('Set BURSAR_URL, CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET.')
  if (!isLocal && !origin.startsWith('https://'))
    throw new UsageError('BURSAR_URL must begin with https://, or the secret would travel unencrypted.')
  return async <T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const response = await fetch(`${origin}/ops/api${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'cf-access-client-id': id,
        'cf-access-client-secret': secret,
        ...(body && { 'content-type': 'application/json' }),
      },
      // A redirect to the sign-in of Access means that the service token was not accepted.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body: JSON.stringify(body) }),
    })
    const reply = (await response.json().catch(() => null)) as
      | { success: true; data: T }
      | { success: false; error: string }
      | null
    if (reply?.success) return reply.data
    throw new Error(
      reply ? `${response.status}: ${reply.error}` : `${response.status}: Access refused the service token.`,
    )
  }
}
