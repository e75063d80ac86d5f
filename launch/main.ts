/**
 * `npm run launch -- --target <name>`: turns a clone into a running deployment, and updates a running one to the next
 * version. See docs/deploying.md.
 *
 *   --target   production (Base), staging (Base Sepolia), or local-production
 *   --config   a file like launch/config.example.jsonc
 *   --state    the folder that records what was done; default: .bursar/launch/<target>
 *   --dry-run  shows each step with its effect and cost, and changes nothing
 *   --roll-back pages | worker   serves the previous version of that half again, and does nothing else
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../local/tools/runTool.ts'
import { readConfig } from './config.ts'
import { isRunning, localProduction, welcome } from './local/localProduction.ts'
import { halfNames } from './production/halves.ts'
import { production, rollBack } from './production/production.ts'
import { openState, type State } from './state.ts'
import { describeSteps, LaunchError, runSteps } from './steps.ts'

const say = (line: string) => console.log(line)
const targets = ['production', 'staging', 'local-production'] as const

async function main(): Promise<void> {
  const values = readArguments()
  const target = targets.find((name) => name === values.target)
  if (!target) throw new LaunchError(`--target must be one of ${targets.join(', ')}`)
  const config = readConfig(values.config)
  const state = openState(values.state ?? join(root, '.bursar/launch', target))
  const isDry = values['dry-run'] === true
  const half = halfNames.find((name) => name === values['roll-back'])
  if (values['roll-back'] !== undefined && (!half || target === 'local-production'))
    throw new LaunchError(`--roll-back must be ${halfNames.join(' or ')}, of production or staging`)
  if (target === 'local-production') return launchLocally(config['local-production'], state, isDry)
  const deployment = config[target]
  if (!deployment) throw new LaunchError(`${target} is missing in the config; see launch/config.example.jsonc`)
  const chainId = target === 'production' ? 8453 : 84532
  const options = { environment: process.env, say }
  if (half) return say(await rollBack(deployment, state, options, half))
  const steps = production(deployment, chainId, state, options)
  if (isDry) return describeSteps(steps, state, say)
  await runSteps(steps, state, say)
  say(`\n  Bursar      ${deployment.origin}\n  Operators   npm run ops -- help`)
}

/** Serves until it receives a signal. */
async function launchLocally(config: Parameters<typeof isRunning>[0], state: State, isDry: boolean): Promise<void> {
  const deployment = localProduction(config, state)
  if (isDry) return describeSteps(deployment.steps, state, say)
  if (await isRunning(config, state)) {
    say(`It is already running; nothing was changed.\n${welcome(config, state)}`)
    return
  }
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= deployment.stop()
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop().then(() => process.exit(0)))
  try {
    await runSteps(deployment.steps, state, say)
    say(`${welcome(config, state)}\n  Ctrl-C stops it; its state is kept.`)
    await deployment.hasEnded()
    if (!stopping)
      throw new LaunchError(`The Worker or Pages exited; the last output is in ${state.path('wrangler.log')}.`)
  } catch (error) {
    if (!stopping) throw error
  } finally {
    await stop()
  }
}

function readArguments() {
  const text = { type: 'string' } as const
  try {
    const options = {
      target: text,
      config: text,
      state: text,
      'dry-run': { type: 'boolean' },
      'roll-back': text,
    } as const
    return parseArgs({ options }).values
  } catch (error) {
    throw new LaunchError((error as Error).message)
  }
}

try {
  await main()
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  console.error(`\n✕ ${error.message}`)
  process.exitCode = 1
}
