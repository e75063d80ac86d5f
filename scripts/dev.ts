/**
 * `npm run dev`: runs the local stack until Ctrl-C. `-- --reset` deletes the stored state first; `-- --sample` creates a new
 * state with a month of use, which takes about two minutes. BURSAR_SANCTIONED lists addresses that are not paid. Ports: BURSAR_PORT, BURSAR_BASE_PORT and BURSAR_SEPOLIA_PORT;
 * each BURSAR_PORT has its own state.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeSample, ownerPhrase } from '../local/sample/fillMonth.ts'
import { isPortFree } from '../local/stack/ports.ts'
import { screeningVariables } from '../local/stack/screening.ts'
import { demo } from '../local/stack/seed.ts'
import { type Stack, type StackOptions, startStack } from '../local/stack/stack.ts'
import { walletConnectVariables } from '../local/stack/walletConnect.ts'
import { root } from '../local/tools/runTool.ts'

const ports = {
  BURSAR_PORT: portFrom('BURSAR_PORT', 3001),
  BURSAR_BASE_PORT: portFrom('BURSAR_BASE_PORT', 8545),
  BURSAR_SEPOLIA_PORT: portFrom('BURSAR_SEPOLIA_PORT', 8546),
}
const stateDir = join(root, '.bursar', String(ports.BURSAR_PORT))
const wantsSample = process.argv.includes('--sample')
const startedAt = Date.now()

for (const tool of ['wrangler', 'vite', '@foundry-rs/anvil', '@foundry-rs/forge', 'solc'])
  if (!existsSync(join(root, 'node_modules', tool, 'package.json')))
    giveUp(`${tool} is not installed: run npm ci first.`)
for (const [name, port] of Object.entries(ports))
  if (!(await isPortFree(port)))
    giveUp(
      `Port ${port} is in use. Stop the program that uses it, or choose another port: ${name}=${port + 100} npm run dev`,
    )
if (process.argv.includes('--reset')) rmSync(stateDir, { recursive: true, force: true })
if (wantsSample && existsSync(stateDir))
  giveUp('Sample data needs a new state, but one already exists: npm run dev -- --sample --reset deletes it.')

let stack: Stack | undefined
let stopping: Promise<void> | undefined
let stopSample: (() => Promise<void>) | undefined
const options: StackOptions = {
  port: ports.BURSAR_PORT,
  basePort: ports.BURSAR_BASE_PORT,
  sepoliaPort: ports.BURSAR_SEPOLIA_PORT,
  stateDir,
  vars: async ({ rpc }) => ({
    ...(await walletConnectVariables()),
    ...(process.env.BURSAR_SANCTIONED && (await screeningVariables(rpc, process.env.BURSAR_SANCTIONED))),
  }),
  say: (line) => console.log(line),
}
const starting = wantsSample ? startWithSample() : startStack(options)

/** Deletes a sample that could not be finished: half a month would look like a whole one. */
async function startWithSample(): Promise<Stack> {
  try {
    await makeSample(options, (stop) => {
      stopSample = stop
    })
  } catch (error) {
    rmSync(stateDir, { recursive: true, force: true })
    throw error
  }
  return startStack(options)
}

async function stop(code: number): Promise<never> {
  stopping ??= (async () => {
    console.log('\nstopping …')
    await stopSample?.()
    await (await starting.catch(() => undefined))?.stop()
  })()
  await stopping
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))

try {
  stack = await starting
} catch (error) {
  giveUp(error instanceof Error ? error.message : String(error))
}
if (!stopping) console.log(welcome(stack))
await stack.workerEnded
if (!stopping) {
  console.error('The Worker exited; its last output is above.')
  await stop(1)
}

function welcome({ url, rpc, contractSets, vars }: Stack): string {
  const lines = [
    '',
    `  Bursar            ${url}   (ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s)`,
    `  Demo sign-in      ${demo.email} / ${demo.password}`,
    `  Signup passcode   ${demo.signupPasscode}   at ${url}/signup`,
    `  Operators         BURSAR_URL=${url} npm run -s ops -- status`,
    `  Email and SMS     ${url}/dev/inbox`,
    `  Chains            Base ${rpc[8453]}, Base Sepolia ${rpc[84532]}`,
    '',
    '  npm run demo shows the main flow. Ctrl-C stops the stack and keeps its state.',
    '  To pay from a program: create an agent on the page Agents, then sdk/README.md (for its API key) or:',
    `    BURSAR_URL=${url} BURSAR_API_KEY=… npm run -s bursar -- budget`,
    `  Without an API key: BURSAR_URL=${url} npm run -s bursar -- login`,
  ]
  if (wantsSample) lines.push(`  The recovery phrase of the sample’s wallets is “${ownerPhrase}”.`)
  if (vars.SANCTIONS_ORACLE_8453) lines.push(`  Recipients are screened; not paid: ${process.env.BURSAR_SANCTIONED}.`)
  const { newest } = contractSets[8453]
  if (newest > 1) lines.push(`  New wallets use contract set ${newest}; existing wallets keep theirs.`)
  return `${lines.join('\n')}\n`
}

function portFrom(name: string, fallback: number): number {
  const text = process.env[name]
  if (!text) return fallback
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) giveUp(`${name} must be a port, not "${text}".`)
  return port
}

function giveUp(message: string): never {
  console.error(message)
  process.exit(1)
}
