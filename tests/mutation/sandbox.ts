import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { foundryProgram, root } from '../../local/tools/runTool.ts'
import type { Artifact } from './compiler.ts'

/** `failed`: the first test that failed, or what stopped the run. */
export type TestResult = { passed: true } | { passed: false; failed: string }

/** A copy of contracts/ whose tests deploy the builds given to `install`. */
export type Sandbox = {
  /** Replaces builds, by name. */
  install(builds: Map<string, Artifact>): void
  /** Runs forge on one thread until the first failure. */
  test(flags: string[], env?: Record<string, string>): Promise<TestResult>
}

const contracts = join(root, 'contracts')
const builds = 'out/mutant'
/** forge names a failed test after the reason, and a failed invariant some lines below it. */
const firstFailure = /^\[FAIL.*\] (?<test>\w+)\(|^ (?<invariant>\w+)\(.*\) \(runs: /m

/** Creates it inside the repository, so that solc.mjs finds its package. Compiles the tests, or copies those of `from`. */
export async function createSandbox(name: string, from?: string): Promise<Sandbox> {
  const folder = sandboxFolder(name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  if (from) {
    cpSync(sandboxFolder(from), folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  } else {
    for (const part of ['foundry.toml', 'solc.mjs', 'src', 'probe', 'test', 'out', 'cache'])
      cpSync(join(contracts, part), join(folder, part), { recursive: true, preserveTimestamps: true })
    mkdirSync(join(folder, 'lib'))
    symlinkSync(join(root, 'node_modules/@openzeppelin/contracts'), join(folder, 'lib/openzeppelin'))
    // The token is not mutated, so the tests get its production build.
    for (const token of ['UsdcStandIn', 'UsdcStandInProxy'])
      cpSync(join(folder, `out/${token}.sol`), join(folder, builds, `${token}.sol`), { recursive: true })
    await forge(folder, ['build'], {}, 1_200)
  }
  return {
    install(artifacts) {
      for (const [contract, artifact] of artifacts) {
        mkdirSync(join(folder, builds, `${contract}.sol`), { recursive: true })
        writeFileSync(join(folder, builds, `${contract}.sol/${contract}.json`), JSON.stringify(artifact))
      }
    },
    async test(flags, env = {}) {
      // forge replays the inputs that failed last time. The result must depend on this mutant only.
      for (const kept of ['fuzz', 'invariant', 'test-failures'])
        rmSync(join(folder, 'cache/test', kept), { recursive: true, force: true })
      const args = ['test', '--fail-fast', '--threads', '1', ...flags]
      const { code, output } = await forge(folder, args, env, 300)
      if (code === 0) return { passed: true }
      if (code === 'timeout') return { passed: false, failed: 'timeout' }
      const { test, invariant } = firstFailure.exec(output)?.groups ?? {}
      const failed = test ?? invariant
      if (!failed) throw new Error(`forge exited with ${code} and no failed test:\n${output}`)
      return { passed: false, failed }
    },
  }
}

const sandboxFolder = (name: string) => join(root, '.bursar/mutation', name)

function forge(
  folder: string,
  args: string[],
  env: Record<string, string>,
  timeoutSeconds: number,
): Promise<{ code: number | string; output: string }> {
  const options = {
    cwd: folder,
    env: { ...process.env, FOUNDRY_PROFILE: 'test', CONTRACT_BUILDS: builds, ...env },
    timeout: timeoutSeconds * 1_000,
    killSignal: 'SIGKILL',
    maxBuffer: 50_000_000,
  } as const
  return new Promise((resolve) => {
    execFile(foundryProgram('forge'), args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.killed ? 'timeout' : (error.code ?? 'unknown')
      resolve({ code, output: stdout + stderr })
    })
  })
}
