/** `npm run ops -- …`: operator commands, over /ops/api of a running deployment. `npm run ops -- help` lists them. */
import { runOps } from './ops/run.ts'

const [name, ...rest] = process.argv.slice(2)
if (name === 'rotate') {
  const { runRotate } = await import('./ops/rotate.ts')
  await runRotate(rest, { env: process.env, fetch, print: (text) => console.log(text) }).catch((error: Error) => {
    console.error(error.message)
    process.exitCode = error.name === 'UsageError' ? 2 : 1
  })
} else {
  process.exitCode = await runOps(process.argv.slice(2), {
    env: process.env,
    fetch,
    print: (text) => console.log(text),
    printError: (text) => console.error(text),
  })
}
