/** Prints the gas of each action on a local chain (receipt gasUsed) and its ceiling. Fails if one is out of bounds. */
import { measureGas } from '../support/gas.ts'
import { startLocalChain } from '../support/localChain.ts'

const chain = await startLocalChain()
const rows = await measureGas(chain).finally(chain.stop)

const figure = (value: number) => Math.round(value).toLocaleString('en').padStart(9)
console.log(`${'action'.padEnd(46)}${'gas'.padStart(9)}${'ceiling'.padStart(9)}`)
for (const { action, gas, ceiling, floor = 0 } of rows) {
  const bad = gas > ceiling || gas < floor
  console.log(`${action.padEnd(46)}${figure(gas)}${figure(ceiling)}${bad ? '  OUT OF BOUNDS' : ''}`)
  if (bad) process.exitCode = 1
}
