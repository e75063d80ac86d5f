/** `npm run ops -- …`: what operators do, over /ops/api of a running deployment. `npm run ops -- help` lists it. */
import { runOps } from './ops/run.ts'

process.exitCode = await runOps(process.argv.slice(2), {
  env: process.env,
  fetch,
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
})
