/**
 * Changes the contracts in one place at a time and checks that some test fails each time.
 *
 *   node tests/long/contractsMutation.ts    up to 300 mutants, chosen by a random seed
 *   SEED=7 …                                the mutants of that seed
 *   MUTANTS=all …                           every mutant; or a number
 *   FILES=Purchase,SendWindow …             those of these sources only
 *   SEED=7 FROM=120 …                       those from position 120 on; each line of the output starts with its position
 *   SEED=7 AT=4,108 …                       those at these positions, for example survivors, once there are tests for them
 *
 * Fails if a mutant survives that tests/mutation/equivalents.ts does not explain. Mutates contracts/src except the USDC
 * stand-in. Uses two processor cores.
 */
import { randomInt } from 'node:crypto'
import { minuteMs } from '#domain/time.ts'
import { compile, importClosure, parse, readSources, type Sources, type Target } from '../mutation/compiler.ts'
import { type Equivalent, equivalents } from '../mutation/equivalents.ts'
import { applyMutant, type Mutant, mutantsOf } from '../mutation/mutants.ts'
import { createSandbox, type Sandbox, type TestResult } from '../mutation/sandbox.ts'
import { randomFrom } from '../support/random.ts'

type Outcome = 'invalid' | 'same code' | 'equivalent' | 'killed' | 'survived'

/** The contracts that the tests deploy, except the token. */
const targets: Target[] = [
  ...['AgentWalletFactory', 'PayoutEscrow', 'Provider', 'Relay'].map((name) => ({ path: `src/${name}.sol`, name })),
  ...['SendWindowProbe', 'SessionWordProbe'].map((name) => ({ path: `probe/${name}.sol`, name })),
]
/** The tests that kill most mutants of a file. */
const nearestTests: Record<string, string> = {
  AgentWalletFactory: 'test/Factory.t.sol',
  PayoutEscrow: 'test/escrow/*',
  PayoutVault: 'test/escrow/*',
  Provider: 'test/Provider.t.sol',
  Relay: 'test/relay/*',
}
const invariants = 'test/invariant/*'

const seed = Number(process.env.SEED ?? randomInt(1_000_000))
const wanted = process.env.MUTANTS === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.MUTANTS ?? 300)
const from = Number(process.env.FROM ?? 0)
const only = process.env.AT?.split(',').map(Number)
const files = process.env.FILES?.split(',').map((name) => `src/${name}.sol`)
const startedAt = Date.now()

const sources: Sources = { ...readSources('src'), ...readSources('probe') }
const mutated = Object.keys(sources).filter((path) => path.startsWith('src/'))
const closures = new Map(targets.map((target) => [target, importClosure(sources, target.path)]))
const original = compile(sources, targets)
if (!original) throw new Error('the contracts do not compile')
const trees = parse(sources)
const all = mutated.flatMap((path) => mutantsOf(path, sources[path]!, trees[path]!))
checkThatAllAreMutants(equivalents)

const order = shuffle(all)
const inFiles = (position: number) => files?.includes(order[position]!.path) ?? true
const queue = only ?? [...order.keys()].slice(from).filter(inFiles)
const outcomes: { mutant: Mutant; outcome: Outcome; detail: string }[] = []
let next = 0
let running = 0
const tested = () => outcomes.filter(({ outcome }) => outcome !== 'invalid' && outcome !== 'same code').length
console.log(`seed ${seed}: ${Math.min(wanted, queue.length)} of ${all.length} mutants`)

const first = await createSandbox('lane-1')
first.install(original)
const baseline = await killer(first, 'src/AgentWallet.sol')
if (!baseline.passed) throw new Error(`${baseline.failed} fails without any mutation`)
const second = await createSandbox('lane-2', 'lane-1')
await Promise.all([lane(first), lane(second)])
report()

/** Takes mutants until enough have been tested. Compilation blocks both lanes, so at most two processes work at once. */
async function lane(sandbox: Sandbox): Promise<void> {
  while (tested() + running < wanted) {
    const position = queue[next++]
    const mutant = position === undefined ? undefined : order[position]
    if (!mutant) return
    running++
    const { outcome, detail } = await examine(sandbox, mutant)
    running--
    outcomes.push({ mutant, outcome, detail })
    if (outcome !== 'invalid' && outcome !== 'same code')
      console.log(`${position}\t${outcome}\t${textOf(mutant)}\t${detail}`)
  }
}

async function examine(sandbox: Sandbox, mutant: Mutant): Promise<{ outcome: Outcome; detail: string }> {
  const changed = { ...sources, [mutant.path]: applyMutant(sources[mutant.path]!, mutant) }
  const affected = targets.filter((target) => closures.get(target)!.has(mutant.path))
  const builds = compile(changed, affected)
  if (!builds) return { outcome: 'invalid', detail: '' }
  const isSame = [...builds].every(([name, { bytecode }]) => bytecode.object === original!.get(name)!.bytecode.object)
  if (isSame) return { outcome: 'same code', detail: '' }

  const known = equivalents.find((each) => mutantOf(each) === mutant)
  if (known) return { outcome: 'equivalent', detail: known.reason }
  sandbox.install(original!)
  sandbox.install(builds)
  const result = await killer(sandbox, mutant.path)
  return result.passed ? { outcome: 'survived', detail: '' } : { outcome: 'killed', detail: result.failed }
}

/** Runs the tests nearest to the source, then all others, then the invariants, which few mutants reach. */
async function killer(sandbox: Sandbox, path: string): Promise<TestResult> {
  const file = path.replace(/^src\/|\.sol$/g, '')
  const nearest = nearestTests[file] ?? 'test/wallet/*'
  const fuzz = (runs: number) => ({ FOUNDRY_FUZZ_RUNS: String(runs), FOUNDRY_FUZZ_SEED: '0x1' })
  const runs = [
    () => sandbox.test(['--match-path', nearest], fuzz(32)),
    () => sandbox.test(['--no-match-path', 'test/{invariant,usdc}/*'], fuzz(256)),
    () =>
      sandbox.test(['--match-path', invariants], {
        ...fuzz(1),
        FOUNDRY_INVARIANT_RUNS: '32',
        FOUNDRY_INVARIANT_DEPTH: '100',
      }),
  ]
  for (const run of runs) {
    const result = await run()
    if (!result.passed) return result
  }
  return { passed: true }
}

function report(): void {
  const of = (outcome: Outcome) => outcomes.filter((each) => each.outcome === outcome)
  const count = (outcome: Outcome) => of(outcome).length
  for (const { mutant, detail } of of('equivalent')) console.log(`equivalent: ${textOf(mutant)}: ${detail}`)
  for (const { mutant } of of('survived')) console.log(`SURVIVED: ${textOf(mutant)}`)
  const minutes = ((Date.now() - startedAt) / minuteMs).toFixed(1)
  console.log(
    `seed ${seed}: ${tested()} tested, ${count('killed')} killed, ${count('equivalent')} equivalent, ` +
      `${count('survived')} survived; not counted: ${count('invalid')} that do not compile, ` +
      `${count('same code')} with the same bytecode; ${minutes} min`,
  )
  if (count('survived') > 0) process.exitCode = 1
}

function checkThatAllAreMutants(list: Equivalent[]): void {
  for (const each of list)
    if (!mutantOf(each))
      throw new Error(
        `equivalents.ts: ${each.path} has no mutant "${each.before}" -> "${each.after}" in "${each.line}"`,
      )
}

function mutantOf({ path, line, before, after, nth = 1 }: Equivalent): Mutant | undefined {
  const same = all.filter((mutant) => mutant.path === path && mutant.before === before && mutant.after === after)
  return same.filter((mutant) => lineOf(mutant) === line)[nth - 1]
}

function lineOf({ path, line }: Mutant): string {
  return sources[path]!.split('\n')[line - 1]!.trim()
}

function textOf(mutant: Mutant): string {
  const { path, line, operator, before, after } = mutant
  return `${path}:${line} ${operator} "${before}" -> "${after}" in "${lineOf(mutant)}"`
}

function shuffle<T>(list: T[]): T[] {
  const random = randomFrom(seed)
  const shuffled = [...list]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.int(0, i)
    ;[shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]
  }
  return shuffled
}
