import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { Bursar, type WaitUntil } from '../bursar.ts'
import {
  BursarError,
  BursarNotServed,
  BursarOutcomeUnknown,
  BursarPaymentFailed,
  BursarRefusal,
  BursarSignedOut,
} from '../errors.ts'
import type { Payment, PayoutRun } from '../types.ts'
import { urlOf } from '../url.ts'
import { fetchCommand } from './fetch.ts'
import { exitCodes, help, overview } from './help.ts'
import { login, logout } from './login.ts'
import { LoginFile } from './loginFile.ts'
import { loginTokens, signedOut } from './loginTokens.ts'
import { NothingPaid, type Result, type Shell, UsageError } from './shell.ts'
import { budgetTable, checkTable, paymentsTable, paymentTable, plain, requestTable, runTable } from './tables.ts'

type Values = Record<string, string | boolean | string[] | undefined>
type Command = {
  options: NonNullable<ParseArgsConfig['options']>
  /** How many arguments it takes. */
  arguments: [min: number, max: number]
} & (
  | { run: (bursar: Bursar, args: string[], values: Values, signal: AbortSignal) => Promise<Result> }
  | { runSignedOut: (shell: Shell, values: Values, wantsJson: boolean) => Promise<Result> }
)

/** How long a person at a terminal waits for a server that does not reply. */
const retryForMs = 20_000 // 20 seconds
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const notes = { memo: text, reference: text, reason: text }

const commands: Record<keyof typeof help, Command> = {
  login: {
    options: { url: text },
    arguments: [0, 0],
    runSignedOut: (shell, { url }, wantsJson) => login(shell, url === undefined ? url : String(url), wantsJson),
  },
  logout: { options: {}, arguments: [0, 0], runSignedOut: logout },
  budget: {
    options: {},
    arguments: [0, 0],
    async run(bursar, _args, _values, signal) {
      const context = await bursar.context({ signal })
      return { json: context, table: budgetTable(context) }
    },
  },
  check: {
    options: {},
    arguments: [2, 2],
    async run(bursar, [to, amount], _values, signal) {
      const check = await bursar.check({ to: to!, amount: amount!, signal })
      const code = check.allowed ? (check.approval_required ? exitCodes.waiting : exitCodes.done) : exitCodes.refused
      return { json: check, table: checkTable(check), code }
    },
  },
  pay: {
    options: { ...notes, key: text, wait: text, timeout: text },
    arguments: [2, 2],
    async run(bursar, [to, amount], values, signal) {
      const payment = await bursar.pay({
        to: to!,
        amount: amount!,
        ...chosen(values, ['memo', 'reference', 'reason']),
        ...(typeof values.key === 'string' && { idempotencyKey: values.key }),
        ...waitOf(values),
        signal: endedBy(signal, values.timeout),
      })
      return { json: payment, table: paymentTable(payment), code: codeOf(payment) }
    },
  },
  fetch: {
    options: {
      ...notes,
      ...{
        method: { ...text, short: 'X' },
        data: { ...text, short: 'd' },
        header: { ...text, short: 'H', multiple: true },
      },
      ...{ 'max-amount': text, key: text, wait: text, timeout: text },
    },
    arguments: [1, 1],
    run: (bursar, [url], values, signal) => fetchCommand(bursar, url!, values, endedBy(signal, values.timeout)),
  },
  payments: {
    options: { reference: text, limit: text },
    arguments: [0, 1],
    async run(bursar, [id], values, signal) {
      if (id !== undefined) {
        const payment = await bursar.payments.get(id, { signal })
        return { json: payment, table: paymentTable(payment) }
      }
      const limit = wholeNumber('limit', values.limit ?? '20')
      const found: Payment[] = []
      const pageSize = Math.min(limit, 100)
      for await (const payment of bursar.payments.list({ ...chosen(values, ['reference']), pageSize, signal })) {
        found.push(payment)
        if (found.length === limit) break
      }
      return { json: found, table: paymentsTable(found) }
    },
  },
  ask: {
    options: { reason: text, key: text },
    arguments: [1, 1],
    async run(bursar, [amount], values, signal) {
      const request = await bursar.budgetRequests.create({
        amount: amount!,
        ...chosen(values, ['reason']),
        ...(typeof values.key === 'string' && { idempotencyKey: values.key }),
        signal,
      })
      const { status } = request
      const decided = status === 'APPROVED' ? exitCodes.done : exitCodes.refused
      const code = status === 'PENDING_APPROVAL' ? exitCodes.waiting : decided
      return { json: request, table: requestTable(request), code }
    },
  },
  run: {
    options: { title: text, replaces: text, again: flag, key: text },
    arguments: [1, 1],
    async run(bursar, [file], values, signal) {
      const prepared = await bursar.prepareRun({
        title: typeof values.title === 'string' ? values.title : basename(file!, '.csv'),
        csv: textOf(file!),
        ...chosen(values, ['replaces']),
        ...(values.again === true && { again: true }),
        ...(typeof values.key === 'string' && { idempotencyKey: values.key }),
        signal,
      })
      return { json: prepared, table: runTable(prepared), code: runCodeOf(prepared) }
    },
  },
}

/** Whether the file can go to a person as it is. */
function runCodeOf({ status, verdicts }: PayoutRun): number {
  if (status === 'DENIED' || status === 'EXPIRED' || status === 'CANCELLED') return exitCodes.refused
  if (status !== 'DRAFT' && status !== 'WAITING') return exitCodes.done
  return verdicts.some(({ level }) => level === 'error') ? exitCodes.refused : exitCodes.waiting
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}

/** Runs one command. Returns its exit code, and never throws for what a user or Bursar did. */
export async function run(args: string[], shell: Shell): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    shell.out(overview)
    return name === undefined ? exitCodes.usage : exitCodes.done
  }
  if (name === '--version') {
    shell.out(version())
    return exitCodes.done
  }
  const wantsJson = !shell.isTerminal || args.includes('--json')
  try {
    if (!isCommand(name)) throw new UsageError(`There is no command ${name}. See bursar --help.`)
    const command = commands[name]
    const { values, positionals } = parsed(rest, command)
    if (values.help) {
      shell.out(help[name])
      return exitCodes.done
    }
    const [min, max] = command.arguments
    if (positionals.length < min || positionals.length > max)
      throw new UsageError(`Usage: ${help[name].split('\n', 1)[0]}`)
    const result =
      'run' in command
        ? await command.run(bursarOf(shell), positionals, values, shell.signal)
        : await command.runSignedOut(shell, values, wantsJson)
    const text = wantsJson ? JSON.stringify(result.json, null, shell.isTerminal ? 2 : 0) : result.table
    if (result.body) shell.write(result.body)
    if (!result.body || text !== '') (result.body ? shell.err : shell.out)(text)
    return result.code ?? exitCodes.done
  } catch (error) {
    const code = exitCodeOf(error)
    if (code === null) throw error
    shell.err(wantsJson ? JSON.stringify({ error: figuresOf(error as Error) }) : sentences(error as Error))
    return code
  }
}

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

/** With BURSAR_API_KEY, else with the login. Throws BursarSignedOut if there is neither. */
function bursarOf({ environment, clock }: Shell): Bursar {
  const { BURSAR_API_KEY: apiKey, BURSAR_URL: url } = environment
  if (apiKey) return new Bursar({ apiKey, ...(url && { url }), retryForMs })
  const file = new LoginFile(environment)
  const known = file.read()
  if (!known) throw signedOut()
  // Its tokens are for nobody else.
  if (url && urlOf(url) !== known.url)
    throw new BursarSignedOut('other_url', `You are signed in at ${known.url}, but BURSAR_URL is ${urlOf(url)}.`)
  return new Bursar({ url: known.url, accessToken: loginTokens(file, clock), retryForMs })
}

function parsed(args: string[], { options }: Command): { values: Values; positionals: string[] } {
  try {
    const all = { ...options, json: flag, help: { ...flag, short: 'h' } } as const
    const { values, positionals } = parseArgs({ args, options: all, allowPositionals: true })
    return { values: values as Values, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** The given options of these names, as they are. */
const chosen = <Name extends string>(values: Values, names: Name[]) =>
  Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]])) as {
    [name in Name]?: string
  }

function waitOf({ wait, timeout }: Values): { wait?: WaitUntil } {
  if (wait === 'sent' || wait === 'final') return { wait }
  if (wait !== undefined) throw new UsageError('--wait: must be sent or final')
  if (timeout !== undefined) throw new UsageError('--timeout: only with --wait')
  return {}
}

/** The signal, or one that also ends after these seconds. */
const endedBy = (signal: AbortSignal, seconds: Values[string]) =>
  seconds === undefined
    ? signal
    : AbortSignal.any([signal, AbortSignal.timeout(wholeNumber('timeout', seconds) * 1000)])

function wholeNumber(name: string, value: Values[string]): number {
  const number = /^\d{1,6}$/.test(String(value)) ? Number(value) : 0
  if (number < 1) throw new UsageError(`--${name}: must be a whole number from 1`)
  return number
}

/** Of a payment that was accepted earlier, when its command is repeated. */
function codeOf({ status }: Payment): number {
  if (status === 'PENDING_APPROVAL') return exitCodes.waiting
  return ['FAILED', 'CANCELLED', 'POLICY_REJECTED'].includes(status) ? exitCodes.refused : exitCodes.done
}

/** Null for an error that is ours. */
function exitCodeOf(error: unknown): number | null {
  if (error instanceof BursarOutcomeUnknown)
    return error.payment?.status === 'PENDING_APPROVAL' ? exitCodes.waiting : exitCodes.unknown
  if (error instanceof BursarNotServed) return exitCodes.unknown
  if (error instanceof BursarRefusal || error instanceof BursarPaymentFailed || error instanceof NothingPaid)
    return exitCodes.refused
  if (error instanceof BursarSignedOut) return exitCodes.signedOut
  if (error instanceof BursarError) return error.status === 429 ? exitCodes.unknown : exitCodes.usage
  return error instanceof TypeError || error instanceof UsageError ? exitCodes.usage : null
}

/** The error for programs, with the names that the API uses. */
function figuresOf(error: Error): object {
  const { message } = error
  if (error instanceof NothingPaid) return { code: 'no_reply', message }
  if (!(error instanceof BursarError)) return { code: 'usage', message }
  const { code, problem } = error
  return {
    code,
    message,
    ...(error instanceof BursarRefusal && {
      rule: error.rule,
      max_allowed_now: error.maxAllowedNow,
      max_without_asking: error.maxWithoutAsking,
      resets_at: error.resetsAt,
      next: error.next,
      payment_id: error.paymentId,
    }),
    ...((error instanceof BursarOutcomeUnknown || error instanceof BursarNotServed) && {
      idempotency_key: error.idempotencyKey,
      payment: error.payment,
    }),
    ...(error instanceof BursarPaymentFailed && { payment: error.payment }),
    ...(problem?.errors && { errors: problem.errors }),
  }
}

/** The error for people. */
function sentences(error: Error): string {
  const lines = [error.message]
  if (error instanceof BursarRefusal) {
    if (error.rule) lines.push(`Rule: ${error.rule}`)
    if (error.maxAllowedNow) lines.push(`Allowed now: ${error.maxAllowedNow} USDC`)
    if (error.next) lines.push(error.next)
  }
  if (error instanceof BursarError) for (const { pointer } of error.problem?.errors ?? []) lines.push(`At ${pointer}`)
  if ((error instanceof BursarOutcomeUnknown || error instanceof BursarNotServed) && error.idempotencyKey)
    lines.push(`Repeat the command with --key ${error.idempotencyKey}: it never pays twice.`)
  return lines.map(plain).join('\n')
}

const version = () =>
  (JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }).version
